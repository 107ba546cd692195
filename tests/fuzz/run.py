"""Runs a program of libFuzzer for FOREBAY_FUZZ_SECONDS: run.py PROGRAM CORPUS [SEEDS]"""

import os
import subprocess
import sys

program, *folders = sys.argv[1:]
seconds = os.environ.get("FOREBAY_FUZZ_SECONDS", "60")
sys.exit(subprocess.run([program, f"-max_total_time={seconds}", "-max_len=4096", "-timeout=10", "-rss_limit_mb=4096",
                         "-print_final_stats=1", "-verbosity=0", *folders]).returncode)
