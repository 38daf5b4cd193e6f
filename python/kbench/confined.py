"""Files of folders that others may have filled, opened as src/base/confined.hpp does: no link leads out of one, nothing is
written through a link, and what is no plain file is not opened. Raises OSError."""
import contextlib
import errno
import os
import stat
import uuid
from pathlib import Path
from typing import Iterator

from .api import PathLike


def read(root: PathLike, path: PathLike) -> bytes:
    """A file that is below `root`."""
    with _closing(os.open(path, os.O_PATH)) as name:
        _check(name, root, path)
        _check_plain(os.fstat(name), path)
        with open(f"/proc/self/fd/{name}", "rb") as file:
            return file.read()


def read_named(root: PathLike, path: PathLike) -> bytes:
    """A file that the user names: it may lie anywhere, but is kept to `root` where it is named as being below that; and a
    relative name to the folder that it says."""
    is_below = Path(os.path.abspath(path)).is_relative_to(os.path.abspath(root))
    return read(root if is_below else os.sep if os.path.isabs(path) else os.path.dirname(path) or os.curdir, path)


def write(root: PathLike, path: PathLike, content: bytes) -> int:
    """Writes root/path, which nobody finds before it is whole. Returns its bytes."""
    name, part = os.path.basename(path), f"{uuid.uuid4()}.part"
    with _folder(root, path) as at:
        with contextlib.suppress(FileNotFoundError):
            _check_plain(os.stat(name, dir_fd=at, follow_symlinks=False), path)
        try:
            with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=at), "wb") as file:
                file.write(content)
            os.replace(part, name, src_dir_fd=at, dst_dir_fd=at)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(part, dir_fd=at)
    return len(content)


def append(root: PathLike, path: PathLike, line: bytes, unless: bytes) -> None:
    """Appends a line to root/path unless the file has this text."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
    with _folder(root, path) as at, _closing(os.open(os.path.basename(path), flags, 0o666, dir_fd=at)) as descriptor:
        _check_plain(os.fstat(descriptor), path)
        with open(descriptor, "r+b", closefd=False) as file:
            if unless not in file.read():
                file.write(line)


@contextlib.contextmanager
def _closing(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _check(descriptor: int, root: PathLike, path: PathLike) -> None:
    """The file behind a descriptor cannot be exchanged after it was looked at. A snapshot of Hugging Face's cache has
    links to the files of its repository."""
    real = Path(root).resolve()
    real = next((at.parents[1] for at in (real, *real.parents) if at.parent.name == "snapshots" and
                 (at.parents[1] / "blobs").is_dir()), real)
    if not Path(os.readlink(f"/proc/self/fd/{descriptor}")).is_relative_to(real):
        raise OSError(errno.EXDEV, "a link leads out of the folder that it is in", os.fspath(path))


def _check_plain(status: os.stat_result, path: PathLike) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is a link, or no plain file", os.fspath(path))


@contextlib.contextmanager
def _folder(root: PathLike, path: PathLike) -> Iterator[int]:
    """The folder of root/path, made where it is missing."""
    os.makedirs(root, exist_ok=True)
    with contextlib.ExitStack() as stack:
        at = stack.enter_context(_closing(os.open(root, os.O_PATH | os.O_DIRECTORY)))
        for part in Path(path).parent.parts:
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, dir_fd=at)
            at = stack.enter_context(_closing(os.open(part, os.O_PATH | os.O_DIRECTORY, dir_fd=at)))
            _check(at, root, path)
        yield at
