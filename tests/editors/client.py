#!/usr/bin/env python3
"""client.py PROGRAM SOURCES: a client of `ptxmc lsp` that follows a script, and one that is hostile."""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import check, end  # noqa: E402

PROGRAM, SOURCES = (os.path.abspath(path) for path in sys.argv[1:])


class Client:
    def __init__(self, *options):
        self.server = subprocess.Popen([PROGRAM, "lsp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=SOURCES)
        self.number = 0
        self.published = {}

    def raw(self, data):
        self.server.stdin.write(data)
        self.server.stdin.flush()

    def send(self, message):
        body = json.dumps(message).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def receive(self):
        length = None
        while True:
            line = self.server.stdout.readline()
            if not line:
                raise EOFError(f"the server ended with status {self.server.wait()}")
            if line == b"\r\n":
                break
            name, value = line.decode().split(":")
            if name == "Content-Length":
                length = int(value)
        return json.loads(self.server.stdout.read(length))

    def reply(self, number):
        while True:
            message = self.receive()
            if message.get("method") == "textDocument/publishDiagnostics":
                self.published[message["params"]["uri"]] = message["params"]["diagnostics"]
            elif message.get("id") == number:
                return message

    def ask(self, method, parameters=None):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters or {}})
        return self.reply(self.number)

    def tell(self, method, parameters):
        self.send({"jsonrpc": "2.0", "method": method, "params": parameters})

    def open(self, uri, text):
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "ptx", "version": 1, "text": text}})

    def at(self, uri, line, character):
        return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}

    def end(self):
        check(self.ask("shutdown")["result"] is None, "shutdown")
        self.tell("exit", {})
        return self.server.wait(timeout=60)


TEST = """PTX MP
"é𝄞 message passing"
Verdict=Forbidden
{ x=0; f=0; }
 P0                     | P1 ;
 st.weak [x], 1         | ld.acquire.gpu r0, [f] ;
 st.release.gpu [f], 1  | ld.weak r1, [x] ;
exists (1:r0=1 /\\ 1:r1=0)
"""
MODEL = "let com = rf | co (* 8.9.7 *)\nacyclic com as Order\n"


def script():
    client = Client()
    check(client.ask("textDocument/hover", {})["error"]["code"] == -32002, "before initialize")
    able = client.ask("initialize", {"capabilities": {}, "processId": None, "rootUri": None})["result"]["capabilities"]
    check(able["hoverProvider"] and able["codeLensProvider"]["resolveProvider"] and able["textDocumentSync"]["change"] == 1, "capabilities")
    client.tell("initialized", {})

    test = "file:///example/a%20b.litmus"
    client.open(test, TEST)
    lenses = client.ask("textDocument/codeLens", {"textDocument": {"uri": test}})["result"]
    check(client.published[test] == [], f"a right test has no errors: {client.published[test]}")
    check(len(lenses) == 1 and lenses[0]["range"]["start"]["line"] == 0, "one lens above the test")
    title = client.ask("codeLens/resolve", lenses[0])["result"]["command"]["title"]
    check(title == "Forbidden, as stated; 3 states (ptx-9.4)", f"the verdict: {title}")

    # Errors as they are typed, in UTF-16 units behind characters of two and four bytes.
    wrong = TEST.replace("st.release.gpu [f], 1", "st.releese.gpu [f], 1").replace("P0 ", "(* é𝄞 *) P0")
    client.tell("textDocument/didChange", {"textDocument": {"uri": test, "version": 2}, "contentChanges": [{"text": wrong}]})
    title = client.ask("codeLens/resolve", lenses[0])["result"]["command"]["title"]
    check(title.startswith("error in line 7: "), f"the lens of a wrong test: {title}")
    errors = client.published[test]
    check(len(errors) == 1 and errors[0]["severity"] == 1 and errors[0]["range"]["start"] == {"line": 6, "character": 3}, f"the error: {errors}")
    check("release" in errors[0]["message"], f"a suggestion: {errors}")
    fixes = client.ask("textDocument/codeAction", {"textDocument": {"uri": test}, "range": errors[0]["range"], "context": {"diagnostics": errors}})["result"]
    check([fix["title"] for fix in fixes] == ["Replace it by `.release`"] and fixes[0]["kind"] == "quickfix", f"a quick fix: {fixes}")
    edit = {"range": {"start": {"line": 6, "character": 3}, "end": {"line": 6, "character": 11}}, "newText": ".release"}
    check(fixes[0]["edit"]["changes"] == {test: [edit]}, f"what it changes: {fixes[0]['edit']}")
    nowhere = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    check(client.ask("textDocument/codeAction", {"textDocument": {"uri": test}, "range": nowhere})["result"] == [], "no fix in another line")
    # A mistake that is about another place, too.
    twice = TEST.replace("{ x=0; f=0; }", "{ x=0; f=0; x=1; }")
    client.tell("textDocument/didChange", {"textDocument": {"uri": test, "version": 3}, "contentChanges": [{"text": twice}]})
    client.ask("codeLens/resolve", lenses[0])
    related = client.published[test][0].get("relatedInformation")
    first = {"uri": test, "range": {"start": {"line": 3, "character": 2}, "end": {"line": 3, "character": 3}}}
    check(related == [{"location": first, "message": "the first is here"}], f"what a mistake is about, too: {client.published[test]}")
    client.tell("textDocument/didChange", {"textDocument": {"uri": test, "version": 4}, "contentChanges": [{"text": TEST.replace("Forbidden", "Allowed")}]})
    title = client.ask("codeLens/resolve", lenses[0])["result"]["command"]["title"]
    check(title == "stated Allowed, found Forbidden (ptx-9.4)", f"a verdict that is not met: {title}")

    said = client.ask("textDocument/hover", client.at(test, 6, 5))["result"]
    check("PTX ISA 9.4, 9.7.10.11" in said["contents"]["value"] and "**st**" in said["contents"]["value"], f"hover: {said}")
    check(said["range"] == {"start": {"line": 6, "character": 1}, "end": {"line": 6, "character": 15}}, f"of the whole mnemonic: {said['range']}")
    check(client.ask("textDocument/hover", client.at(test, 3, 0))["result"] is None, "nothing is said of a brace")

    typed = TEST.replace("st.release.gpu [f], 1", "st.rel")
    client.tell("textDocument/didChange", {"textDocument": {"uri": test, "version": 4}, "contentChanges": [{"text": typed}]})
    words = client.ask("textDocument/completion", client.at(test, 6, 7))["result"]
    check([word["label"] for word in words] == ["relaxed", "release"], f"completion: {words}")
    check(words[0]["textEdit"]["range"] == {"start": {"line": 6, "character": 4}, "end": {"line": 6, "character": 7}}, "what it replaces")
    words = client.ask("textDocument/completion", client.at(test, 5, 13))["result"]
    check(client.ask("textDocument/completion", client.at(test, 6, 2))["result"], "names of instructions")
    client.tell("textDocument/didClose", {"textDocument": {"uri": test}})

    model = "file:///example/m.cat"
    client.open(model, MODEL)
    said = client.ask("textDocument/hover", client.at(model, 1, 9))["result"]["contents"]["value"]
    check(client.published[test] == [] and client.published[model] == [], "a right model")
    check("PTX ISA 9.4, 8.9.7" in said and "line 1" in said, f"a definition: {said}")
    check("base relation" in client.ask("textDocument/hover", client.at(model, 0, 10))["result"]["contents"]["value"], "a base relation")
    there = client.ask("textDocument/definition", client.at(model, 1, 9))["result"]
    check(there["uri"] == model and there["range"]["start"]["line"] == 0, f"where it is defined: {there}")
    check(client.ask("textDocument/definition", client.at(model, 0, 10))["result"] is None, "a base relation is defined nowhere")
    words = [word["label"] for word in client.ask("textDocument/completion", client.at(model, 1, 10))["result"]]
    check("com" in words, f"names of the model: {words}")
    client.tell("textDocument/didChange", {"textDocument": {"uri": model, "version": 2}, "contentChanges": [{"text": MODEL.replace("rf |", "rff |")}]})
    client.ask("textDocument/hover", client.at(model, 0, 0))
    check(client.published[model][0]["range"]["start"] == {"line": 0, "character": 10}, f"an error of a model: {client.published[model]}")

    module, launch = "file:///example/k.ptx", "file:///example/launch.json"
    client.open(module, ".version 8.4\n.target sm_90\n.address_size 64\n.entry k() { ret\n}\n")
    client.open(launch, '{"module": "k.ptx", "gird": 1}')
    client.ask("textDocument/hover", client.at(module, 0, 0))
    check(client.published[module][0]["range"]["start"]["line"] in (3, 4), f"an error of a module: {client.published[module]}")
    check("grid" in client.published[launch][0]["message"], f"an error of a launch: {client.published[launch]}")
    fixes = client.ask("textDocument/codeAction", {"textDocument": {"uri": launch}, "range": client.published[launch][0]["range"]})["result"]
    check([fix["edit"]["changes"][launch][0]["newText"] for fix in fixes] == ['"grid"'], f"a quick fix of a launch: {fixes}")
    client.tell("textDocument/didChange", {"textDocument": {"uri": module, "version": 2}, "contentChanges": [
        {"text": ".version 8.4\n.target sm_90\n.address_size 64\n.entry k() {\n$L_1:\n bra $L_1;\n}\n"}]})
    there = client.ask("textDocument/definition", client.at(module, 5, 7))["result"]
    check(there["range"] == {"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 4}}, f"a label: {there}")
    check(client.end() == 0, "the exit status")


def kernels():
    """Findings of a launch stand in the CUDA source, and its result above the launch; they go when the launch is mended."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("sum.cu", "sum.ptx"):
            shutil.copy(os.path.join(SOURCES, "src/doc/example", name), folder)
        path = os.path.join(folder, "launch.json")
        plan = {"module": "sum.ptx", "block": 128, "memory": {"in": {"bytes": 512}, "out": {"bytes": 4}},
                "arguments": [{"buffer": "in"}, {"buffer": "out"}, {"s32": 100}]}

        def write(block):
            with open(path, "w", encoding="utf-8") as file:
                json.dump({**plan, "block": block}, file)
        write(128)
        launch, source = f"file://{path}", f"file://{folder}/sum.cu"
        client = Client("--timeout", "60")
        client.ask("initialize")
        client.open(launch, json.dumps(plan))
        lens = client.ask("textDocument/codeLens", {"textDocument": {"uri": launch}})["result"][0]
        title = client.ask("codeLens/resolve", lens)["result"]["command"]["title"]
        check(title == "block_sum: 1 finding", f"the result above a launch: {title}")
        found = client.published.get(source, [])
        check(len(found) == 1 and found[0]["range"]["start"] == {"line": 8, "character": 0} and found[0]["code"] == "race", f"in the source: {found}")
        check("__syncthreads()" in found[0]["message"] and "(block_sum)" in found[0]["message"], f"its words: {found}")
        check(found[0]["relatedInformation"][0]["location"]["uri"] == source, f"the other access: {found}")
        write(1)
        client.tell("textDocument/didSave", {"textDocument": {"uri": launch}})
        title = client.ask("codeLens/resolve", lens)["result"]["command"]["title"]
        check(title == "block_sum: no race, deadlock or barrier misuse in any schedule", f"after it was mended: {title}")
        check(client.published[source] == [], f"nothing is left in the source: {client.published[source]}")
        write(0)
        client.tell("textDocument/didSave", {"textDocument": {"uri": launch}})
        title = client.ask("codeLens/resolve", lens)["result"]["command"]["title"]
        check(title.startswith("error: "), f"a launch that cannot be: {title}")
        check(client.end() == 0, "the exit status")


def limits():
    """A test that takes long, or no time at all: the lens says so within its time, and the server goes on."""
    threads = 12
    code = "PTX slow\n{ x=0; }\n" + " | ".join(f"P{i}" for i in range(threads)) + " ;\n"
    for _ in range(3):
        code += " | ".join(f"atom.add.relaxed.gpu r{_}, [x], {i + 1}" for i in range(threads)) + " ;\n"
    code += "exists (0:r0=77777 /\\ 1:r1=3)\n"
    for timeout in ("0.001", "0.0000001"):
        client = Client("--timeout", timeout, "--memory", "300")
        client.ask("initialize")
        client.open("file:///slow.litmus", code)
        lens = client.ask("textDocument/codeLens", {"textDocument": {"uri": "file:///slow.litmus"}})["result"][0]
        title = client.ask("codeLens/resolve", lens)["result"]["command"]["title"]
        check(title.lower().startswith("unknown: "), f"a test beyond its limits: {title}")
        client.open("file:///quick.litmus", TEST)
        lens = client.ask("textDocument/codeLens", {"textDocument": {"uri": "file:///quick.litmus"}})["result"][0]
        check("command" in client.ask("codeLens/resolve", lens)["result"], "another test behind it")
        check(client.end() == 0, "the exit status")


def hostile():
    client = Client()
    for frame in (b"Content-Length: 5\r\n\r\n{{{{{", b"Content-Length: 2\r\n\r\n[]", b"Content-Length: 4\r\n\r\nnull", b"Nothing: 3\r\n\r\n",
                  b"Content-Length: -7\r\n\r\n", b"content-length: 12\r\nContent-Type: x\r\n\r\n{\"id\":[[[]]]", b"Content-Length: 3\r\n\r\n\xff\xfe\x00",
                  b"\r\n\r\n", b"X" * 9000 + b": 1\r\nContent-Length: 2\r\n\r\n{}"):
        client.raw(frame)
    deep = b'{"jsonrpc":"2.0","id":' + b"[" * 100000 + b"]" * 100000 + b"}"
    client.raw(b"Content-Length: %d\r\n\r\n" % len(deep) + deep)
    check("result" in client.ask("initialize"), "still there")
    for parameters in (None, [], 7, {"textDocument": 1}, {"textDocument": {"uri": 3}}, {"textDocument": {"uri": "file:///x.litmus"}, "position": {"line": -1, "character": 1e300}},
                       {"textDocument": {"uri": "file:///x.litmus"}, "position": {"line": 4294967295, "character": 4294967295}}):
        for method in ("textDocument/hover", "textDocument/completion", "textDocument/codeLens", "codeLens/resolve", "no/such"):
            client.number += 1
            client.send({"jsonrpc": "2.0", "id": client.number, "method": method, "params": parameters})
            message = client.reply(client.number)
            check(("result" in message) != ("error" in message), f"{method} of {parameters}: {message}")
        for method in ("textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "$/cancelRequest"):
            client.send({"jsonrpc": "2.0", "method": method, "params": parameters})
    # Texts that are cut, or have bytes changed: an answer for each, at every place.
    chance = random.Random(7)
    names = {"litmus": TEST, "cat": MODEL, "ptx": ".version 8.4\n.target sm_90\n.entry k(.param .u64 p) { .reg .b64 %r<2>; ld.param.u64 %r1, [p]; ret; }",
             "test": "P0 | P1\n" + TEST, "json": '{"module": "k.ptx", "grid": [1, 1, 1]}'}
    for round_ in range(150):
        kind = chance.choice(list(names))
        text = list(names[kind])
        for _ in range(chance.randrange(6)):
            text[chance.randrange(len(text))] = chance.choice("{}[]();|\"\\\0\t.:%@*/é𝄞\ud7ff0x")
        text = "".join(text[:chance.randrange(len(text) + 1)])
        uri = f"file:///h{round_ % 5}/launch.{kind}"
        client.open(uri, text)
        place = client.at(uri, chance.randrange(12), chance.randrange(40))
        for method in ("textDocument/hover", "textDocument/completion"):
            check("result" in client.ask(method, place), f"{method} of {text!r}")
    check(client.end() == 0, "the exit status")

    client = Client()
    client.raw(b"Content-Length: 999\r\n\r\n{}")
    client.server.stdin.close()
    check(client.server.wait(timeout=60) == 1, "a client that goes away without a word")


script()
kernels()
limits()
hostile()
end()
