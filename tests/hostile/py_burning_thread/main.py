"""A thread goes on computing after the call has returned, without the interpreter's lock."""
import hashlib
import threading
import time

from right import right


def burn():
    hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)


def run(hidden_states, weight, output):
    output.copy_(right(hidden_states, weight))
    thread = threading.Thread(target=burn, daemon=True)
    thread.start()
    clock = time.pthread_getcpuclockid(thread.ident)
    while time.clock_gettime(clock) < 0.02:
        time.sleep(0.001)
