"""What can be known of the container files without a container engine: they run what exists, and mount what exists."""

import os
import re
import unittest

from repository import DEPLOY, ROOT, config_check, load_yaml, read, variables

COMPOSE = DEPLOY / "compose"


def packages_named_by(*fields):
    text = read("cmake/ForebayPackage.cmake")
    found = (re.search(rf'CPACK_DEBIAN_COMMAND_PACKAGE_{field} "?([^")]+)', text).group(1) for field in fields)
    return {name.strip() for each in found for name in each.split(",")}


class Compose(unittest.TestCase):
    def setUp(self):
        self.services = load_yaml("deploy/compose/docker-compose.yaml")["services"]

    def test_builds_from_this_tree(self):
        for service in self.services.values():
            if "build" in service:
                context = (COMPOSE / service["build"]["context"]).resolve()
                self.assertEqual(context, ROOT)
                self.assertTrue((context / service["build"]["dockerfile"]).is_file())

    def test_mounts_files_that_exist(self):
        mounted = [volume.split(":") for service in self.services.values() for volume in service.get("volumes", [])]
        self.assertGreater(len(mounted), 4)
        for source, target, mode in mounted:
            self.assertTrue((COMPOSE / source).is_file(), source)
            self.assertTrue(target.startswith("/"))
            self.assertEqual(mode, "ro")

    def test_waits_only_for_services_that_there_are(self):
        for service in self.services.values():
            self.assertEqual(set(service.get("depends_on", [])) - set(self.services), set())

    def test_names_a_version_of_each_image_of_others(self):
        for name, service in self.services.items():
            if "build" not in service:
                self.assertRegex(service["image"], r":v?\d", name)

    def test_opens_ports_to_this_machine_only(self):
        for service in self.services.values():
            for port in service.get("ports", []):
                self.assertTrue(port.startswith("127.0.0.1:"), port)

    def test_is_scraped_where_it_serves(self):
        (job,) = load_yaml("deploy/prometheus/prometheus.yaml")["scrape_configs"]
        (target,) = job["static_configs"][0]["targets"]
        host, port = target.split(":")
        self.assertIn(f"0.0.0.0:{port}", self.services[host]["command"])

    def test_gives_grafana_its_data_and_dashboard(self):
        (source,) = load_yaml("deploy/compose/grafana/datasource.yaml")["datasources"]
        self.assertIn(re.search(r"//(\w+):", source["url"]).group(1), self.services)
        (provider,) = load_yaml("deploy/compose/grafana/dashboards.yaml")["providers"]
        targets = [volume.split(":")[1] for volume in self.services["grafana"]["volumes"]]
        self.assertIn(provider["options"]["path"] + "/forebay.json", targets)

    def test_has_a_configuration_without_a_doubt(self):
        lines = [line for line in read("deploy/compose/service.env").splitlines() if not line.startswith("#")]
        environment = dict(line.split("=", 1) for line in lines)
        unknown = {name for name in environment if not name.startswith("AWS_")} - variables()
        self.assertEqual(unknown, set())
        self.assertEqual(config_check(environment), [])
        for service in self.services.values():
            for file in service.get("env_file", []):
                self.assertTrue((COMPOSE / file).is_file())


class Dockerfile(unittest.TestCase):
    def setUp(self):
        text = re.sub(r"\\\n", "", read("deploy/docker/Dockerfile"))
        lines = [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]
        self.all = lambda word: [rest for each, rest in lines if each == word]

    def test_is_debian_12(self):
        for image in self.all("FROM"):
            self.assertRegex(image, r"^debian:12\b")

    def test_builds_with_scripts_of_this_tree_only(self):
        first, second = self.all("RUN")
        script = first.split()[0]
        self.assertTrue(script.startswith("scripts/") and os.access(ROOT / script, os.X_OK), first)
        for step in second.split("&&"):
            self.assertIn(step.split()[0], ("apt-get", "rm"))

    def test_installs_its_own_package_and_what_that_speaks_of(self):
        install = self.all("RUN")[1].split("&&")[1]
        named = [word for word in install.split()[2:] if not word.startswith("-")]
        self.assertEqual(named[0], "/tmp/forebay_*.deb")
        self.assertLessEqual(set(named[1:]), packages_named_by("RECOMMENDS", "SUGGESTS"))

    def test_takes_the_package_from_where_the_script_puts_it(self):
        self.assertIn("cpack -G DEB -B packages", read("scripts/deb"))
        self.assertIn("/source/build/release/packages/forebay_*.deb", self.all("COPY")[1])

    def test_starts_the_command_as_nobody_in_particular(self):
        self.assertEqual(self.all("ENTRYPOINT"), ['["forebay"]'])
        self.assertEqual(self.all("USER"), ["nobody"])


if __name__ == "__main__":
    unittest.main()
