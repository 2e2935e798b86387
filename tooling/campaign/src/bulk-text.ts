import type { BulkProgram, BulkStep } from './bulk-program.ts';

/** The most values that a thread can keep. */
export const KEPT = 8;

/**
 * The program as PTX. Entry `bulk` has four parameters: the addresses of rank 1's lines, of its
 * flag, and of the rank's own kept values, and the rank.
 */
export function bulkText({ steps: [first, second] }: BulkProgram): string {
  return [
    '.version 8.5',
    '.target sm_90',
    '.address_size 64',
    '.visible .entry bulk(.param .u64 lines, .param .u64 flag, .param .u64 kept, .param .u32 rank)',
    '{',
    '  .shared .align 16 .b8 line[32];',
    '  .shared .align 8 .b64 barrier;',
    '  .reg .pred %p<4>;',
    '  .reg .b32 %r<8>;',
    '  .reg .b64 %rd<4>;',
    '  ld.param.u64 %rd1, [lines];',
    '  ld.param.u64 %rd2, [flag];',
    '  ld.param.u64 %rd3, [kept];',
    '  ld.param.u32 %r1, [rank];',
    '  mov.u32 %r2, line;',
    '  mov.u32 %r3, barrier;',
    '  mov.u32 %r4, 9;',
    // A copy from a line that is not set would read uninitialised bytes.
    ...[0, 16].map((at) => `  st.shared.v4.u32 [%r2+${at}], {%r4, %r4, %r4, %r4};`),
    '  fence.proxy.async.shared::cta;',
    '  mbarrier.init.shared::cta.b64 [%r3], 1;',
    '  fence.mbarrier_init.release.cluster;',
    '  setp.ne.u32 %p1, %r1, 0;',
    '  @%p1 bra SECOND;',
    ...rankText(first, 'A'),
    '  ret;',
    'SECOND:',
    ...rankText(second, 'B'),
    '  ret;',
    '}',
  ].join('\n');
}

function rankText(steps: readonly BulkStep[], label: string): readonly string[] {
  const lines: string[] = [];
  let [labels, kept, copies] = [0, 0, 0];
  /** A loop that ends when the predicate of `test` is true. */
  const spin = (test: string, ...more: readonly string[]): readonly string[] => {
    const name = `${label}${labels++}`;
    return [`${name}:`, `  ${test}`, ...more.map((text) => `  ${text}`), `  @!%p2 bra ${name};`];
  };
  for (const step of steps) {
    switch (step.kind) {
      case 'store': {
        const base = step.space === 'shared' ? '%r2' : '%rd1';
        const at = `[${base}+${16 * step.line}]`;
        lines.push(`  mov.u32 %r4, ${step.value};`, `  st.${step.space}.v4.u32 ${at}, {%r4, %r4, %r4, %r4};`);
        break;
      }
      case 'load': {
        const base = step.space === 'shared' ? '%r2' : '%rd1';
        lines.push(`  ld.${step.space}.u32 %r5, [${base}+${16 * step.line}];`, '  add.u32 %r5, %r5, 100;');
        if (kept === KEPT) throw new RangeError(`A thread keeps at most ${KEPT} values.`);
        lines.push(`  st.global.u32 [%rd3+${4 * kept++}], %r5;`);
        break;
      }
      case 'fence':
        lines.push(`  fence.proxy.async.${step.space === 'shared' ? 'shared::cta' : 'global'};`);
        break;
      case 'copyOut':
        lines.push(
          `  add.u32 %r6, %r2, ${16 * step.from};`,
          `  cp.async.bulk.global.shared::cta.bulk_group [%rd1+${16 * step.to}], [%r6], 16;`,
        );
        break;
      case 'commit':
        lines.push('  cp.async.bulk.commit_group;');
        break;
      case 'waitGroup':
        lines.push(`  cp.async.bulk.wait_group${step.read ? '.read' : ''} 0;`);
        break;
      case 'copyIn': {
        copies++;
        const counts = 'mbarrier::complete_tx::bytes';
        lines.push(
          '  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 16;',
          `  add.u32 %r6, %r2, ${16 * step.to};`,
          `  cp.async.bulk.shared::cluster.global.${counts} [%r6], [%rd1+${16 * step.from}], 16, [%r3];`,
        );
        break;
      }
      case 'waitBarrier':
        if (copies === 0) break;
        lines.push(...spin(`mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], ${(copies - 1) % 2};`));
        break;
      case 'setFlag':
        lines.push(`  st.${step.order}.sys.global.u32 [%rd2], 1;`);
        break;
      case 'waitFlag':
        lines.push(...spin(`ld.${step.order}.sys.global.u32 %r7, [%rd2];`, 'setp.ne.u32 %p2, %r7, 0;'));
        break;
    }
  }
  return lines;
}
