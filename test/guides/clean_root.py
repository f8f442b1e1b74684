"""A root of Debian 12 in which nothing is installed but some packages.

The files are those of this machine's own packages; apt decides which packages a clean Debian would
install. Nothing is downloaded.
"""

import os
import shutil
import subprocess
from pathlib import Path

# usrmerge only prepares a root that was installed otherwise.
WITHOUT_FILES = {"usrmerge"}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def essential_packages():
    lines = output("dpkg-query", "-W", "-f", "${Package} ${Essential}\n").splitlines()
    return [line.split()[0] for line in lines if line.endswith(" yes")]


def resolve(names):
    """Returns the packages that apt would install in a clean root, or raises with apt's reason."""
    # A state file of a machine without packages. Local archives are names too.
    command = ["apt-get", "-s", "-o", "Dir::State::status=/dev/null", "--no-install-recommends",
               "install", *essential_packages(), *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C.UTF-8"})
    if done.returncode != 0:
        raise RuntimeError(f"apt install {' '.join(names)}: {done.stdout}{done.stderr}")
    return [line.split()[1] for line in done.stdout.splitlines() if line.startswith("Inst ")]


def copy(file, to):
    to.parent.mkdir(parents=True, exist_ok=True)
    if os.path.islink(file):
        to.symlink_to(os.readlink(file))
        return
    try:
        os.link(file, to)
    except OSError:  # another file system
        shutil.copy2(file, to)


class CleanRoot:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.packages = set()
        for name in ("bin", "sbin", "lib", "lib64"):
            (self.folder / "usr" / name).mkdir(parents=True)
            (self.folder / name).symlink_to(f"usr/{name}")
        for name in ("proc", "dev", "tmp", "root", "etc", "usr/local/bin"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/bash\n")

    def install(self, names, local=()):
        """Adds packages, and those that they need. `local` are archives."""
        for name in resolve([*names, *local]):
            if name not in self.packages and name not in WITHOUT_FILES:
                self.packages.add(name)
                self.add_files(name)
        # Programs that make packages ask what is installed. The archives are not, on this machine.
        (self.folder / "var/lib/dpkg").mkdir(parents=True, exist_ok=True)
        known = subprocess.run(["dpkg-query", "--status", *sorted(self.packages)],
                               capture_output=True, text=True, check=False)
        (self.folder / "var/lib/dpkg/status").write_text(known.stdout)
        (self.folder / "var/lib/dpkg/info/format").write_text("1\n")
        for archive in local:
            output("dpkg-deb", "--extract", archive, self.folder)
        self.add_alternatives()
        output("ldconfig", "-r", self.folder)

    def add_files(self, package):
        found = [file for pattern in (f"{package}.list", f"{package}:*.list")
                 for file in Path("/var/lib/dpkg/info").glob(pattern)]
        for file in found[0].read_text().splitlines() if found else []:
            to = self.folder / file.lstrip("/")
            if os.path.islink(file) or os.path.isfile(file):
                if not os.path.lexists(to):
                    copy(file, to)
            elif os.path.isdir(file):
                to.mkdir(parents=True, exist_ok=True)
        for pattern in (f"{package}.*", f"{package}:*.*"):
            for file in Path("/var/lib/dpkg/info").glob(pattern):
                if not os.path.lexists(self.folder / str(file).lstrip("/")):
                    copy(file, self.folder / str(file).lstrip("/"))

    def add_alternatives(self):
        """Adds the links that scripts of the packages make: /usr/bin/c++ for example."""
        for link in Path("/usr/bin").iterdir():
            if not link.is_symlink() or not os.readlink(link).startswith("/etc/alternatives/"):
                continue
            name = os.readlink(link)
            if os.path.lexists(self.folder / os.readlink(name).lstrip("/")):
                for each in (name, str(link)):
                    to = self.folder / each.lstrip("/")
                    if not os.path.lexists(to):
                        copy(each, to)
