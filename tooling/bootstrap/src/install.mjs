import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import { runCommand } from './command.mjs';
import { root } from './root.mjs';

const stampFile = join(root, 'node_modules', '.bootstrap-stamp');

/**
 * Installs the packages of the lockfile, unless the last installation was made from the same files.
 *
 * @returns {boolean} true if everything is installed
 */
export function install() {
  const wanted = fingerprint();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return true;
  const [command, ...prefix] = pnpmCommand();
  console.log(`Installing dependencies with ${[command, ...prefix].join(' ')} ...`);
  if (!runCommand(command, [...prefix, 'install', '--frozen-lockfile'])) {
    console.error('The installation failed: see above. It needs the npm registry and nothing else.');
    return false;
  }
  writeFileSync(stampFile, wanted);
  return true;
}

/**
 * The pnpm that `packageManager` names: the installed one if it has that version, and otherwise
 * through npx.
 *
 * @returns {[string, ...string[]]}
 */
function pnpmCommand() {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version = String(packageManager).slice('pnpm@'.length);
  const shell = process.platform === 'win32';
  const installed = spawnSync('pnpm', ['--version'], { cwd: root, encoding: 'utf8', shell });
  if (installed.status === 0 && installed.stdout.trim() === version) return ['pnpm'];
  return ['npx', '--yes', `pnpm@${version}`];
}

/**
 * A hash that depends on every file that determines the installed packages, and on the Node for
 * which native packages were chosen.
 */
function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${process.versions.modules}\n`);
  const groups = ['packages', 'apps', 'tooling'];
  const members = groups.flatMap((group) => readdirSync(join(root, group)).map((name) => join(group, name)));
  for (const folder of ['', ...members.toSorted()]) {
    const manifest = join(root, folder, 'package.json');
    if (existsSync(manifest)) hash.update(folder).update(readFileSync(manifest));
  }
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(readFileSync(join(root, file)));
  return hash.digest('hex');
}
