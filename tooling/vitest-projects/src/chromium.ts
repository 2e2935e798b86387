import { existsSync } from 'node:fs';

/** The path at which Debian's package `chromium` installs it. */
export const chromiumPath = '/usr/bin/chromium';

/** It has WebGPU with the first of them alone, and makes no network calls with the others. */
export const chromiumFlags: readonly string[] = [
  '--enable-unsafe-webgpu',
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The reason why tests cannot run in Chromium here; `undefined` where they can. */
export function chromiumProblem(): string | undefined {
  return existsSync(chromiumPath) ? undefined : `there is no ${chromiumPath} (Debian: apt-get install chromium)`;
}
