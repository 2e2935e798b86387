import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { own } from './folders.ts';

/**
 * Installs the packages that only the site needs, from its own lockfile, unless they are installed
 * already.
 */
export function installOwn(): void {
  const wanted = readFileSync(`${own}/pnpm-lock.yaml`, 'utf8');
  const stamp = `${own}/node_modules/.site-stamp`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  const pnpm = process.env['npm_execpath'];
  const args = ['install', '--ignore-workspace', '--frozen-lockfile', '--dir', own];
  const isPnpm = pnpm?.includes('pnpm') === true;
  const [command, first] = isPnpm ? [process.execPath, [pnpm]] : ['npx', ['--yes', 'pnpm@10.34.9']];
  const { status } = spawnSync(command, [...first, ...args], { stdio: 'inherit', cwd: own });
  if (status !== 0) {
    throw new Error(
      'cannot build the site, because its own packages could not be installed; it needs the npm registry.',
    );
  }
  writeFileSync(stamp, wanted);
}
