"""The server of the Model Context Protocol, asked by the official SDK's client; skipped where the SDK is not installed."""
import asyncio
import importlib.util
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WRONG = "def run(hidden_states, weight):\n    return hidden_states\n"
RIGHT = ("import torch\n\n\ndef run(hidden_states, weight):\n    x = hidden_states.float()\n"
         "    x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)\n    return (x * weight.float()).to(torch.bfloat16)\n")


async def _ask(calls):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "VIRTUAL_ENV": sys.prefix}
    server = StdioServerParameters(command=os.environ["KBENCH"], args=["mcp"], env=environment, cwd=str(ROOT))
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        return tools, [(await session.call_tool(name, arguments)).content[0].text for name, arguments in calls]


def five_tools_answer():
    if importlib.util.find_spec("mcp") is None:
        return print("skipped: the package mcp is not installed")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("wrong.py", WRONG), ("right.py", RIGHT), ("broken.json", "{")):
            pathlib.Path(folder, name).write_text(text)
        one = {"definition": "rmsnorm_h128", "workload": "batch_size=1"}
        tools, answers = asyncio.run(_ask([
            ("list_records", {"what": "solutions", "definition": "rmsnorm_h128"}),
            ("validate", {"path": f"{folder}/broken.json"}),
            ("judge", {**one, "candidate": f"{folder}/wrong.py"}),
            ("judge", {**one, "candidate": f"{folder}/right.py"}),
            ("judge", {**one, "candidate": "no_such_solution"}),
            ("explain", {**one, "solution": "plain_rmsnorm_h128"}),
            ("list_records", {"what": "workloads", "limit": 200}),
            ("compare", {**one, "a": "plain_rmsnorm_h128", "b": "kbench_rmsnorm_h128"}),
        ]))
    assert sorted(tools) == ["compare", "explain", "judge", "list_records", "validate"], tools
    assert all(tool.description for tool in tools.values())
    listed, broken, wrong, right, unknown, explained, cut, faster = answers
    assert "plain_rmsnorm_h128" in listed and listed.startswith("solution ") and "next: judge(" in listed, listed
    assert "broken.json:1:" in broken and "error" in broken, broken
    assert wrong.startswith("0 of 1 workloads passed\nINCORRECT_NUMERICAL on batch_size=1: ") and "next: " in wrong, wrong
    assert right.startswith("1 of 1 workloads passed\nbatch_size=1: "), right
    assert "no_such_solution" in unknown and "status 2" in unknown, unknown
    assert explained.startswith("PASSED on batch_size=1"), explained
    assert "kbench_rmsnorm_h128 is FASTER than plain_rmsnorm_h128" in faster, faster
    assert len(cut) < 300 and "characters more" in cut, cut
