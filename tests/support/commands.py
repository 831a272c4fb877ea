# SPDX-License-Identifier: MIT
"""Commands that the tests of builds and packages run."""
import subprocess

LIMIT = 900  # seconds, for a whole build on a busy machine


def run(*words, **options):
    """What the command printed; fails with all that it said."""
    done = subprocess.run([str(word) for word in words], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=LIMIT, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: exit code "
                             f"{done.returncode}\n{done.stdout}")
    return done.stdout
