/** Tests the built site in headless Chromium: `pnpm --filter @nccl-ts/site browser-tests`. */
import process from 'node:process';
import { launchChromium } from './chromium.ts';
import { keptTests } from './kept-tests.ts';
import { documentTests } from './document-tests.ts';
import { pageTests } from './page-tests.ts';
import { hostileTests } from './hostile-tests.ts';
import { ptxTests } from './ptx-tests.ts';
import { playgroundTests } from './playground-tests.ts';
import { verdictTests } from './verdict-tests.ts';
import { serve } from './serve.ts';

await using server = await serve(0);
const browser = await launchChromium();

const word = process.argv[2] ?? '';
let failed = 0;
for (const [name, test] of Object.entries({
  ...documentTests,
  ...playgroundTests,
  ...hostileTests,
  ...keptTests,
  ...ptxTests,
  ...verdictTests,
  ...pageTests,
}).filter(([title]) => title.includes(word))) {
  const page = await browser.newPage({ baseURL: server.url, viewport: { width: 1280, height: 900 } });
  const started = Date.now();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  try {
    await test(page);
    console.log(`ok   ${name} (${Date.now() - started} ms)`);
  } catch (error) {
    failed++;
    const message = error instanceof Error ? error.message : String(error);
    console.log(['FAIL ', name, `\n     at ${page.url()}: ${message}`, ...problems].join('\n     '));
  }
  await page.close();
}
await browser.close();
process.exitCode = failed === 0 ? 0 : 1;
