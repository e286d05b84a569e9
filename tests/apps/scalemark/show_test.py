"""`scalemark data show`, and that OpenCV is loaded only for what needs it."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from PIL import Image
from program import BUILD
from program import run as run_words

PART = BUILD / "libscalemark_opencv.so"


def run(*arguments, **options):
    return run_words(*map(str, arguments), **options)


class Show(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.keep.name)
        cls.data = cls.folder / "images"
        made = run("data", "generate", "images", cls.data, "--samples", 20, "--classes", 3, "--image-size", 64)
        assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        cls.keep.cleanup()

    def show(self, name, *options, **surroundings):
        return run("data", "show", "--data", self.data, "--output", self.folder / name, "--image-size", 48, *options, **surroundings)

    def picture(self, name, *options):
        result = self.show(name, *options)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        with Image.open(self.folder / name) as image:
            self.assertEqual(image.format, "PNG")
            return image.convert("RGB"), result.stdout

    def test_a_sheet_of_the_first_pictures(self):
        image, said = self.picture("a.png", "--samples", 7, "--columns", 3)
        side = 3 * 48  # small pictures are enlarged
        self.assertEqual(image.size, (8 + 3 * (side + 8), 8 + 3 * (side + 9 + 8)))
        self.assertIn(f"7 of 20 images, {image.width} x {image.height} pixels, in ", said)
        self.assertEqual(image.getpixel((0, 0)), (255, 255, 255))
        self.assertLess(min(image.getpixel((x, y))[0] for x in range(8, 56) for y in range(side + 10, side + 17)), 10, "no text")
        self.assertEqual(image.getpixel((8, 8)), image.getpixel((10, 10)))
        self.assertEqual(self.picture("all.png", "--samples", 500)[1].split()[0], "20")

    def test_each_option_changes_it_and_the_seed_repeats_it(self):
        plain = self.picture("plain.png")[0].tobytes()
        self.assertEqual(self.picture("again.png")[0].tobytes(), plain)
        self.assertNotEqual(self.picture("seed.png", "--seed", 1)[0].tobytes(), plain)
        self.assertNotEqual(self.picture("erased.png", "--random-erasing", 1)[0].tobytes(), plain)
        mixed, _ = self.picture("mixed.png", "--mixup", 0.2, "--cutmix", 1)
        self.assertGreater(mixed.height, 8 + 4 * (3 * 48 + 9 + 8), "two lines for two classes")

    def test_refusals(self):
        self.assertEqual(run("data", "show", "--data", self.data).returncode, 64)
        self.assertEqual(run("data", "show", "--output", self.folder / "x.png").returncode, 64)
        self.assertEqual(self.show("x.png", "--augment", "wild").returncode, 78)
        self.assertEqual(self.show("x.png", "--random-erasing", 1.5).returncode, 78)
        self.assertEqual(self.show("none/x.png").returncode, 73)
        self.assertEqual(self.show("x.jpg").returncode, 78)
        (self.folder / "folder.png").mkdir()
        self.assertEqual(self.show("folder.png", "--overwrite").returncode, 73)
        large = run("data", "show", "--data", self.data, "--output", self.folder / "x.png", "--image-size", 4096, "--samples", 20)
        self.assertEqual(large.returncode, 78)
        self.assertIn("give fewer --samples", large.stderr)
        self.picture("there.png")
        again = self.show("there.png")
        self.assertEqual(again.returncode, 73)
        self.assertIn("--overwrite", again.stderr)
        self.picture("there.png", "--overwrite")
        missing = run("data", "show", "--data", self.folder / "none", "--output", self.folder / "x.png")
        self.assertEqual(missing.returncode, 66)
        self.assertFalse((self.folder / "x.png").exists())

    def libraries(self, *arguments):
        result = run(*arguments, env={"LD_DEBUG": "files"})
        self.assertEqual(result.returncode, 0, result.stdout)
        return result.stderr

    def test_opencv_is_loaded_for_what_needs_it(self):
        bench = "data", "bench", "--data", self.data, "--image-size", 32, "-b", 4
        for arguments in (bench, (*bench, "--random-erasing", 0.5, "--mixup", 0.2, "--cutmix", 1)):
            self.assertNotIn("opencv", self.libraries(*arguments), arguments)
        if not PART.exists():
            self.skipTest("built without OpenCV")
        for number, augment in enumerate(("trivial", "randaugment", "colour-jitter")):
            loaded = self.libraries(*bench, "--augment", augment)
            self.assertIn("libopencv_imgproc", loaded)
            self.assertNotIn("imgcodecs", loaded)
            plain, _ = self.picture(f"plain{number}.png")
            self.assertNotEqual(self.picture(f"{augment}.png", "--augment", augment)[0].tobytes(), plain.tobytes())

    def without(self, *prepare):
        """Returns what a program prints whose part is as `prepare` leaves it."""
        with tempfile.TemporaryDirectory() as folder:
            for name in ("scalemark", "libscalemark_data.so", PART.name):
                if (BUILD / name).exists():
                    shutil.copy(BUILD / name, folder)
            for step in prepare:
                step(Path(folder) / PART.name)
            command = [f"{folder}/scalemark", "data", "show", "--data", self.data, "--output", f"{folder}/x.png", "--augment"]
            for augment, code in (("trivial", 71), ("basic", 0)):
                done = subprocess.run([*map(str, command), augment], capture_output=True, text=True)
                self.assertEqual(done.returncode, code, done.stderr)
                os.remove(f"{folder}/x.png") if code == 0 else self.assertIn("libopencv-imgproc406", done.stderr)

    def test_without_the_part_and_without_opencv(self):
        self.without(lambda part: part.unlink(missing_ok=True))
        if PART.exists() and shutil.which("patchelf"):
            self.without(lambda part: subprocess.run(
                ["patchelf", "--replace-needed", "libopencv_imgproc.so.406", "libopencv_imgproc.so.0", part], check=True))


if __name__ == "__main__":
    unittest.main()
