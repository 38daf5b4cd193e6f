# Shared by the shell scripts in this folder: they source it after `cd` to the repository's root.

say() { printf '[%s] %s\n' "$tool" "$*"; }

die() {  # die STATUS MESSAGE…: 2 the call is wrong, 3 the machine is not ready
  status=$1
  shift
  printf '[%s] error: %s\n' "$tool" "$*" >&2
  exit "$status"
}

# Two makes in one checkout take turns. The lock goes with the process and its children.
lock() {
  mkdir -p .cache
  exec 9>.cache/lock
  flock --nonblock 9 && return
  say "another make is at work in this folder; waiting for it"
  flock 9
}

# The folder of TORCH that holds include/ and lib/: a LibTorch, a torch package, or its parent.
torch_folder() {
  for folder in "$1" "$1/torch"; do
    [ -e "$folder/lib/libtorch_cpu.so" ] && [ -e "$folder/lib/libc10.so" ] &&
      [ -e "$folder/include/torch/csrc/jit/api/compilation_unit.h" ] && (cd "$folder" && pwd) && return
  done
  return 1
}
