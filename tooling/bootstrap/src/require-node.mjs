import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import { root } from './root.mjs';

/**
 * Returns the problem with the running Node, or undefined if it is new enough for the root
 * package's `engines`.
 *
 * @returns {string | undefined}
 */
export function requireNode() {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const least = String(manifest.engines.node).replace('>=', '');
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return `nccl-ts needs Node ${least} or newer; this is Node ${process.versions.node} (${process.execPath}).`;
}
