import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { launchChromium, requireChromium } from '../support/chromium.ts';
import { addressOf, bundle, serve } from '../support/serve-script.ts';

const here = dirname(fileURLToPath(import.meta.url));

/** The line of the generated script for the kernel's line with `text`, as a debugger finds it. */
function generatedLine(sourceMapUrl: string, text: string): number {
  const [, data = ''] = sourceMapUrl.split('base64,');
  const payload: SourceMapPayload = JSON.parse(Buffer.from(data, 'base64').toString());
  const map = new SourceMap(payload);
  const wanted = (payload.sourcesContent[0] ?? '').split('\n').findIndex((line) => line.includes(text));
  for (let line = 0; line < 1000; line++) {
    const entry: unknown = map.findEntry(line, 200);
    if (typeof entry !== 'object' || entry === null || !('originalLine' in entry)) continue;
    if (entry.originalLine === wanted && 'generatedLine' in entry && entry.generatedLine === line) return line;
  }
  throw new Error(`nothing was made of the line with ${text}`);
}

test('Chromium stops at a breakpoint in a kernel', { timeout: 120_000 }, async (context) => {
  requireChromium(context);
  const browser = await launchChromium({ webgpu: false });
  const server = await serve(await bundle({ entryPoints: [join(here, 'debugged-page.ts')] }));
  try {
    const page = await browser.newPage();
    await page.goto(addressOf(server));
    const session = await page.context().newCDPSession(page);
    const scripts: { readonly url: string; readonly sourceMapURL?: string }[] = [];
    session.on('Debugger.scriptParsed', (script) => scripts.push(script));
    await session.send('Debugger.enable');
    const run = async (): Promise<unknown> => page.evaluate("import('/page.js').then((page) => page.run())");
    expect(await run()).toBe('done');

    const script = scripts.find(({ url }) => url === 'nccl-ts:///debugged-4x1x1.js');
    const line = generatedLine(script?.sourceMapURL ?? '', 'total += step');
    await session.send('Debugger.setBreakpointByUrl', { url: script?.url ?? '', lineNumber: line });
    const stops: Record<string, unknown>[] = [];
    session.on('Debugger.paused', (paused) => {
      void (async () => {
        const values: Record<string, unknown> = {};
        for (const { type, object } of paused.callFrames[0]?.scopeChain ?? []) {
          if (type !== 'local' && type !== 'block') continue;
          const objectId = object.objectId ?? '';
          const { result } = await session.send('Runtime.getProperties', { objectId, ownProperties: true });
          for (const { name, value } of result) values[name] ??= value?.value;
        }
        stops.push(values);
        await session.send('Debugger.resume');
      })();
    });
    expect(await run()).toBe('done');
    // Four threads, three rounds each.
    const expected = [0, 1, 2, 3].flatMap((t) => [0, 1, 2].map((step) => ({ t, v1_step: step })));
    expect(stops).toMatchObject(expected);
  } finally {
    server.close();
    await browser.close();
  }
});
