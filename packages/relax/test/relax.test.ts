import { relax } from '@nccl-ts/relax';
import { describe, expect, inject, it } from 'vitest';
import { exchange, exchangeHarness, twice, twiceHarness, type Lacks } from './support/exchange.ts';

/** The judgements, with what each rests on. */
async function judged(text: string, block?: number, lacks?: Lacks): Promise<readonly string[]> {
  const { places } = await relax(exchangeHarness(block, lacks), text, { name: 'exchange.ptx', seconds: 60 });
  return places.map(({ place, judgement, weakening, input, why }) =>
    [judgement, place.instruction, weakening?.does, input, why].filter((part) => part !== undefined).join(' | '),
  );
}

const isOffer = /^(?:removable|weaker) /u;

/** Each of these checks a kernel some sixty times. */
const slow = inject('slow') ? [0] : [];

describe('relax', () => {
  it.for(slow)('tells what is needed from what can go, and what can go together', async () => {
    const report = await relax(exchangeHarness(), exchange, { name: 'exchange.ptx', seconds: 60 });
    expect(report.inputs.filter(({ unusable }) => unusable === undefined).map(({ name }) => name)).toEqual([
      'a producer',
      'a consumer',
      'as it is',
      '1 launch',
      '3 launches',
    ]);
    expect(
      report.places.map(({ place, judgement, weakening }) => [judgement, place.instruction, weakening?.does ?? '']),
    ).toEqual([
      ['removable', 'membar.gl;', 'removed'],
      ['removable', 'bar.sync 0;', 'removed'],
      ['weaker', 'st.release.sys.global.u32 [%rd3], %r1;', 'release -> relaxed'],
      ['only here', 'ld.acquire.sys.global.u32 %r3, [%rd2];', ''],
      ['only here', 'bar.sync 0;', ''],
      ['only here', 'bar.sync 0;', ''],
      ['rests on hardware', 'st.release.sys.global.u32 [%rd3+4], %r1;', ''],
      ['weaker', 'ld.acquire.sys.global.u32 %r4, [%rd2+4];', 'acquire -> relaxed'],
    ]);
    await expect(report.diff).toMatchFileSnapshot('snapshots/exchange.diff');
    expect(report.joint).toEqual([0, 1, 2, 7]);
  });

  it.for(slow)('offers no barrier of a block with one warp', async () => {
    const warp = exchange.replace(
      '.param .u32 exchange_param_5\n)',
      '.param .u32 exchange_param_5\n) .reqntid 32, 1, 1',
    );
    expect((await judged(warp, 32)).filter((line) => line.includes('bar.sync'))).toEqual([
      'not judged | bar.sync 0; | it is reached only by CTAs of one warp',
      'only here | bar.sync 0; | a producer',
      'only here | bar.sync 0; | a producer',
    ]);
  });

  it.for(slow)('tries a block of one warp with two', async () => {
    expect((await judged(exchange, 32)).filter((line) => line.includes('bar.sync'))).toEqual([
      'removable | bar.sync 0; | removed',
      expect.stringMatching(/^only here \| bar\.sync 0; \| a (producer|consumer), 64 threads$/u),
      expect.stringMatching(/^only here \| bar\.sync 0; \| a (producer|consumer), 64 threads$/u),
    ]);
  });

  it.for(slow)('makes no offer where only equal values hide a race', async () => {
    const { places } = await relax(twiceHarness, twice, { name: 'twice.ptx', inputs: ['out'] });
    expect(places).toMatchObject([{ judgement: 'not judged', why: 'without it, equal values hide a race' }]);
  });

  it.for(slow)('makes no offer without a producer', async () => {
    const lines = await judged(exchange, 64, { inputs: true });
    expect(lines.filter((line) => isOffer.test(line))).toEqual([]);
    expect(lines[0]).toMatch(/^not judged \| membar\.gl; \| no input with a producer can judge it: /u);
  });

  it.for(slow)('makes no offer without a consumer', async () => {
    const lines = await judged(exchange, 64, { outputs: true });
    expect(lines.filter((line) => isOffer.test(line))).toEqual([]);
    expect(lines[0]).toMatch(/^not judged \| membar\.gl; \| no input with a consumer can judge it: /u);
  });

  it.for(slow)('keeps the fence behind a poll by a volatile load', async () => {
    const polled = exchange
      .replace('ld.acquire.sys.global.u32 %r3, [%rd2];', 'ld.volatile.global.u32 %r3, [%rd2];')
      .replace('@%p2 bra FIRST;', '@%p2 bra FIRST;\n  fence.acq_rel.sys;');
    const lines = await judged(polled);
    expect(lines.filter((line) => line.includes('fence.acq_rel.sys'))).toEqual([
      expect.stringMatching(/^rests on hardware \| fence\.acq_rel\.sys; \| a producer$/u),
    ]);
  });

  it.for(slow)('keeps the acquire of a poll that fails before it succeeds', async () => {
    const polled = exchange.replace(
      'ld.acquire.sys.global.u32 %r3, [%rd2];\n  setp.lt.u32 %p2, %r3, %r1;',
      'atom.acquire.sys.global.cas.b32 %r3, [%rd2], %r1, %r1;\n  setp.ne.u32 %p2, %r3, %r1;',
    );
    const lines = await judged(polled);
    expect(lines.filter((line) => line.includes('atom'))).toEqual([
      expect.stringMatching(/^(needed|only here) \| atom\.acquire/u),
    ]);
  });

  it.for(slow)('judges nothing that no thread reaches', async () => {
    const unreached = exchange.replace(
      'membar.gl;',
      'setp.gt.u32 %p1, %r2, 4000;\n  @%p1 membar.gl;\n  setp.ne.u32 %p1, %r2, 0;',
    );
    expect((await judged(unreached))[0]).toBe('not judged | membar.gl; | no input reaches it');
  });

  it('refuses a kernel that is wrong', async () => {
    const wrong = exchange.replace('st.global.f32 [%rd8], %f1', 'st.global.f32 [%rd7], 0f3f800000');
    await expect(relax(exchangeHarness(), wrong)).rejects.toMatchObject({ code: 'NCCL_INVALID_USAGE' });
  });

  it.for(slow)('stops at its signal', async () => {
    const controller = new AbortController();
    const doing: string[] = [];
    const onProgress = (what: string): void => {
      doing.push(what);
      if (doing.length === 2) controller.abort();
    };
    const stopped = relax(exchangeHarness(), exchange, { seconds: 60, onProgress, signal: controller.signal });
    await expect(stopped).rejects.toMatchObject({ code: 'NCCLTS_ABORTED' });
    expect(doing).toHaveLength(2);
  });
});
