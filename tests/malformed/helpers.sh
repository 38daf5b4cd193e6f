# What a case can use. The set: C[M, 4] = A[M, 4] * s, one workload, one solution.
D=set/definitions/scale/scale_n4.json
W=set/workloads/scale/scale_n4.jsonl
S=set/solutions/me/scale/scale_me.json
RUN="kbench run --root set --no-save-results --no-cache"

# blob HEADER [BYTES]: a safetensors file with this header and so many bytes behind it.
blob() { python3 -c '
import sys
header = sys.argv[1].encode()
sys.stdout.buffer.write(len(header).to_bytes(8, "little") + header + bytes(int(sys.argv[2])))' "$1" "${2:-0}"; }

# The workload takes A of this file.
take_blob() { sed -i 's|"A": {"type": "random"}|"A": {"type": "safetensors", "path": "'"$1"'", "tensor_key": "A"}|' $W; mkdir -p set/blob; }

# repeated TEXT N
repeated() { python3 -c 'import sys; sys.stdout.write(sys.argv[1] * int(sys.argv[2]))' "$1" "$2"; }

# reference TEXT: as the definition's, with \n for line breaks.
reference() { python3 - "$D" "$1" <<'END'
import json, sys
path, text = sys.argv[1:]
record = json.load(open(path))
record["reference"] = text.replace("\\n", "\n")
json.dump(record, open(path, "w"), indent=1)
END
}
