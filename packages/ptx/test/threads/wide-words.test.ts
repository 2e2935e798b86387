import { explore } from '@nccl-ts/checker';
import { getLsaDevicePointer, World } from '@nccl-ts/communicator';
import type { SimBackend } from '@nccl-ts/backend-sim';
import { describe, expect, inject, it } from 'vitest';
import { importKernel } from '../../src/import-kernel.ts';
import { parsePtx } from '../../src/syntax/parse-ptx.ts';
import { checkText, refusalOfText, runText, workEntry } from './support/run-text.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Thread 0 publishes four words at once, and thread 32 waits for the last one and stores all. */
const message = (store: string, load: string, data = ''): string =>
  workEntry(`
  .reg .b128 %q<3>;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra READER;
  ${data === '' ? '' : 'st.global.u32 [%in+128], 77;'}
  mov.b64 %rd1, {11, 22};
  mov.b64 %rd2, {33, 44};
  mov.b128 %q0, {%rd1, %rd2};
  ${store} [%in+64], %q0;
  bra DONE;
READER:
  setp.ne.u32 %p0, %r0, 32;
  @%p0 bra DONE;
WAIT:
  ${load} %q1, [%in+64];
  mov.b128 {%rd3, %rd4}, %q1;
  mov.b64 {%r3, %r4}, %rd4;
  setp.ne.u32 %p1, %r4, 44;
  @%p1 bra WAIT;
  mov.b64 {%r1, %r2}, %rd3;
  st.global.v4.b32 [%out], {%r1, %r2, %r3, %r4};
  ${data}
DONE:`);

const after = `
  ld.global.u32 %r5, [%in+128];
  st.global.u32 [%out+16], %r5;`;

describe('ordered accesses of 16 bytes', () => {
  const release = message('st.release.sys.global.b128', 'ld.acquire.sys.global.b128', after);
  const relaxed = message('st.relaxed.sys.global.b128', 'ld.relaxed.sys.global.b128');

  it.each(['js', 'wasm'] as const)('order what stands before them: %s', async (engine) => {
    expect((await runText(release, { block: 64, engine })).slice(0, 5)).toEqual([11, 22, 33, 44, 77]);
  });

  it.for(slow)('are found clean, and a relaxed one leaves a race', async () => {
    expect((await checkText(release, { block: 64 })).findings).toEqual([]);
    expect((await checkText(relaxed, { block: 64 })).findings).toEqual([]);
    const loose = message('st.relaxed.sys.global.b128', 'ld.relaxed.sys.global.b128', after);
    expect((await checkText(loose, { block: 64 })).findings.map(({ kind }) => kind)).toContain('race');
  });

  it('race with accesses of other sizes', async () => {
    const mixed = message('st.relaxed.sys.global.b128', 'ld.relaxed.sys.global.b128').replace(
      'ld.relaxed.sys.global.b128 %q1, [%in+64];',
      'ld.relaxed.sys.global.u32 %r4, [%in+76];\n  mov.b64 %rd4, {%r3, %r4};\n  mov.b64 %rd3, 0;',
    );
    expect((await checkText(mixed, { block: 64 })).findings.map(({ kind }) => kind)).toContain('race');
  });

  it('are seen whole in every execution', async () => {
    const { module } = parsePtx(relaxed, 'work.ptx');
    if (module === undefined) throw new Error('no module');
    const { kernel, params } = importKernel(module, { entry: 'work' });
    const seen = new Set<string>();
    const run = async (backend: SimBackend): Promise<void> => {
      await using world = await World.open({ backend });
      await world.run(async (comm) => {
        const windows = [await comm.allocWindow('u32', 64), await comm.allocWindow('u32', 8)];
        await windows[0]?.write(new Uint32Array(64));
        await windows[1]?.write(new Uint32Array(8));
        const args = Object.fromEntries(
          params.map(({ name }, i) => {
            const window = windows[i];
            return [name, BigInt((window === undefined ? null : getLsaDevicePointer(window, 0, 0))?.address ?? 0)];
          }),
        );
        await comm.launch(kernel, { grid: 1, block: 64 }, args);
        await comm.synchronize();
        seen.add([...((await windows[1]?.read()) ?? [])].slice(0, 4).join(' '));
      });
    };
    const { report } = await explore({ ranks: 1, mode: 'check' }, run, { runs: 20 });
    expect(report?.findings).toEqual([]);
    expect([...seen]).toEqual(['11 22 33 44']);
  });

  it('have no atomic update', () => {
    const text = workEntry('.reg .b128 %q<3>; atom.global.relaxed.sys.exch.b128 %q0, [%in], %q1;');
    expect(refusalOfText(text).join('\n')).toContain('P2003');
  });
});
