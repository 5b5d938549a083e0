#!/usr/bin/env bash
# vscode.sh SOURCES PROGRAM: the extension for Visual Studio Code packs with its grammars, and starts the language server as its settings
# say, with stand-ins for the editor and its client.
set -euo pipefail
sources=$(realpath "$1") program=$(realpath "$2")
command -v npm >/dev/null && command -v node >/dev/null || { echo "SKIPPED: no npm or node" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "error: $*" >&2; exit 1; }
cp -r "$sources/src/package/editors" "$work/editors"
cd "$work/editors/vscode"
npm pack --silent --offline >"$work/packed" || fail "npm pack"
tar tzf "$(tail -1 "$work/packed")" | sort >"$work/files"
for file in package.json extension.js README.md language-configuration.json grammars/{ptx,ptx-litmus,cat}.tmLanguage.json; do
  grep -qx "package/$file" "$work/files" || fail "the package has no $file: $(cat "$work/files")"
done
mkdir -p node_modules/vscode node_modules/vscode-languageclient
cat >node_modules/vscode/index.js <<'JS'
const given = {program: process.env.PTXMC, options: ['--timeout', '5']};
module.exports = {workspace: {getConfiguration: () => ({get: (name, otherwise) => given[name] ?? otherwise})},
                  window: {showErrorMessage: (text) => { console.log(text); process.exitCode = 3; }}};
JS
cat >node_modules/vscode-languageclient/node.js <<'JS'
const {spawn} = require('child_process');
exports.LanguageClient = class {
  constructor(id, name, server, options) { Object.assign(this, {server, options}); }
  start() {  // until the server answers
    const body = JSON.stringify({jsonrpc: '2.0', id: 1, method: 'initialize', params: {capabilities: {}}});
    this.child = spawn(this.server.command, this.server.args);
    this.child.stdin.on('error', () => {});
    this.child.stdin.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
    return new Promise((resolve, reject) => { this.child.once('error', reject); this.child.stdout.once('data', resolve); });
  }
  async stop() { this.child.kill(); }
};
JS
cat >test.js <<'JS'
const assert = require('assert');
const fs = require('fs');
const about = require('./package.json');
for (const {path, scopeName} of about.contributes.grammars) assert.equal(JSON.parse(fs.readFileSync(path)).scopeName, scopeName);
const extension = require('./extension.js');
assert.deepEqual(extension.command(), {command: process.env.PTXMC, args: ['lsp', '--timeout', '5']});
for (const one of extension.SELECTOR) assert(one.pattern || about.contributes.languages.some(({id}) => id === one.language), one.language);
extension.activate().then(() => extension.deactivate());
JS
PTXMC=$program node test.js || fail "the extension does not start the server"
status=0
PTXMC=/nowhere/ptxmc node test.js >"$work/out" || status=$?
[[ $status == 3 ]] && grep -q 'setting ptxmc.program' "$work/out" || fail "says that the program is not there: status $status: $(cat "$work/out")"
