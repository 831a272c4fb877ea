# SPDX-License-Identifier: MIT
"""What pip has installed, beside the code."""
import importlib.metadata
import unittest


class Package(unittest.TestCase):
    def test_it_has_the_licences_of_what_it_contains(self) -> None:
        files = importlib.metadata.files("libmcp") or []
        names = [file.name for file in files]
        licences = [file.read_text() for file in files
                    if file.match("*.dist-info/licenses/LICENSE")]
        self.assertEqual(len(licences), 1, names)
        self.assertIn("MIT License", licences[0])
        if "libmcp-core.so.0" in names:
            self.assertIn("LICENSE.json-schema", names)
        for name in "yyjson", "llhttp":
            if any(file.startswith(f"lib{name}.so") for file in names):
                self.assertIn(f"LICENSE.{name}", names)


if __name__ == "__main__":
    unittest.main()
