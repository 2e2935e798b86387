/** Runs a smaller set of tests in Debian's Firefox: `pnpm --filter @nccl-ts/site firefox-tests`. */
import process from 'node:process';
import { launchFirefox } from './firefox.ts';
import { serve } from './serve.ts';
import { runSmallerTests } from './smaller-tests.ts';

await using server = await serve(0);
await using tab = await launchFirefox();
if (tab === undefined) {
  console.log('There is no /usr/bin/firefox-esr (Debian: apt-get install firefox-esr), so nothing was tested.');
  process.exit(1);
}
await runSmallerTests('Firefox', tab, server.url);
