// SPDX-License-Identifier: Apache-2.0
// Starts `ptxmc lsp` for litmus tests, PTX modules, models, files of launches and CUDA sources.
'use strict';
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

/** @type {LanguageClient | undefined} */
let client;

const SELECTOR = [
  { scheme: 'file', language: 'ptx-litmus' },
  { scheme: 'file', language: 'ptx' },
  { scheme: 'file', language: 'cat-model' },
  { scheme: 'file', pattern: '**/*.cu' },
  { scheme: 'file', pattern: '**/*launch.json' },
];

/** What starts the server, of the settings of a workspace. */
function command() {
  const settings = vscode.workspace.getConfiguration('ptxmc');
  return { command: settings.get('program', 'ptxmc'), args: ['lsp', ...settings.get('options', [])] };
}

async function activate() {
  client = new LanguageClient('ptxmc', 'ptxmc', command(), { documentSelector: SELECTOR });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    vscode.window.showErrorMessage(`ptxmc cannot be started (setting ptxmc.program): ${error}`);
  }
}

async function deactivate() {
  if (client) await client.stop();
}

module.exports = { activate, deactivate, command, SELECTOR };
