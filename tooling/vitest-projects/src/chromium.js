import { existsSync } from 'node:fs';
/** The path at which Debian's package `chromium` installs it. */
export const chromiumPath = '/usr/bin/chromium';
/** The first option enables WebGPU. The others prevent network calls. */
export const chromiumFlags = [
    '--enable-unsafe-webgpu',
    '--no-sandbox',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
];
/** The reason why tests cannot run in Chromium here, or `undefined` if they can. */
export function chromiumProblem() {
    return existsSync(chromiumPath) ? undefined : `there is no ${chromiumPath} (Debian: apt-get install chromium)`;
}
