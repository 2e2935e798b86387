import { printModule } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';
import { runProgram } from './support/run-program.ts';
import { Refused, ThreadProgram } from './support/thread-program.ts';

/** The IR of instructions, without the surrounding text. */
function printed(...texts: readonly string[]): string {
  const program = new ThreadProgram();
  program.ptx(...texts);
  const text = printModule(program.module(), { spans: false });
  return text.slice(text.indexOf('{')).trim();
}

function refusal(text: string): string {
  try {
    new ThreadProgram().ptx(text);
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
  return 'translated';
}

describe('fences', () => {
  it('have their order and scope', () => {
    expect(
      printed(
        'fence.acq_rel.gpu',
        'fence.cta',
        'fence.sc.sys',
        'fence.acquire.sys',
        'fence.release.cluster',
        'membar.cta',
        'membar.gl',
        'membar.sys',
        'fence.mbarrier_init.release.cluster',
        'fence.proxy.alias',
        'fence.proxy.async',
        'fence.proxy.async.shared::cta',
        'fence.acquire.sync_restrict::shared::cluster.cluster',
        'fence.release.sync_restrict::shared::cta.cluster',
      ),
    ).toMatchInlineSnapshot(`
      "{
        fence acq_rel.device
        fence acq_rel.block
        fence seq_cst.system
        fence acquire.system
        fence release.cluster
        fence seq_cst.block
        fence seq_cst.device
        fence seq_cst.system
        call bulk.fence()
        fence release.cluster
        fenceProxy alias
        call bulk.fence()
        call bulk.fence()
        fence acquire.cluster
        fence release.cluster
      }"
    `);
  });
});

describe('programmatic dependent launch', () => {
  it('becomes calls of this library', () => {
    expect(printed('griddepcontrol.launch_dependents', 'griddepcontrol.wait')).toMatchInlineSnapshot(`
      "{
        call launchDependents()
        call gridDependencySync() {
          wait {
            %0 = call dependency.isOver()
          } until %0
          call dependency.acquire()
        }
      }"
    `);
  });
});

describe('a fence of some accesses', () => {
  it('is a fence of all', () => {
    expect(
      printed(
        'fence.release.sync_restrict::shared::cta.cluster',
        'fence.acquire.sync_restrict::shared::cluster.cluster',
        'fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster',
      ),
    ).toMatchInlineSnapshot(`
      "{
        fence release.cluster
        fence acquire.cluster
        call bulk.fence()
      }"
    `);
  });
});

describe('the barrier of a cluster', () => {
  it('becomes calls of this library, and a thread uses it in turns', () => {
    expect(printed('barrier.cluster.arrive.relaxed.aligned', 'barrier.cluster.wait')).toMatchInlineSnapshot(`
      "{
        %0 = 0:u32
        assert (%0 == 0:u32), "a thread arrives at the barrier of its cluster again before it has waited for it"
        %0 = 1:u32
        call cluster.arrive<order = "relaxed", warp = "aligned">()
        assert (%0 == 1:u32), "a thread waits for the barrier of its cluster without having arrived"
        %0 = 0:u32
        call cluster.wait() {
          wait {
            %1 = call cluster.isMet()
          } until %1
          call cluster.acquire()
        }
      }"
    `);
  });
});

describe('hints', () => {
  it('have no effect', () => {
    expect(
      printed(
        'nanosleep.u32 %r1',
        'prefetch.global.L2 [%rd1]',
        'prefetchu.L1 [%rd1]',
        'prefetch.global.L2::evict_last [%rd1]',
        'applypriority.global.L2::evict_normal [%rd1], 128',
        'setmaxnreg.inc.sync.aligned.u32 40',
        'brkpt',
        'pmevent 3',
      ),
    ).toBe('{\n}');
  });
});

describe('trap', () => {
  it('fails the kernel', async () => {
    await expect(runProgram((p) => p.ptx('trap'))).rejects.toThrow(/trap/u);
  });
});

describe('unsupported statements', () => {
  const texts = [
    'bar.sync 16, 64',
    'bar.sync 1, 33',
    'bar.arrive 1',
    'bar.red.popc.u32 %r1, 0, 40, %p1',
    'bar.red.popc.pred %p1, 0, %p1',
    'barrier.cluster.arrive.acquire',
    'shfl.up.b32 %r1, %r2, 1, 0',
    'shfl.sync.up.b32 %r1, %r2, 1, 0',
    'vote.all.pred %p1, %p2',
    'vote.sync.ballot.pred %p1, %p2, -1',
    'match.any.sync.b16 %r1, %r2, -1',
    'redux.sync.add.f32 %f1, %f2, -1',
    'redux.sync.min.abs.f32 %f1, %f2, -1',
    'atom.global.add.b32 %r1, [%rd1], %r2',
    'atom.global.exch.b128 %r1, [%rd1], %r2',
    'atom.volatile.global.add.u32 %r1, [%rd1], %r2',
    'atom.relaxed.acquire.gpu.add.u32 %r1, [%rd1], %r2',
    'red.global.exch.b32 [%rd1], %r2',
    'red.async.relaxed.cluster.global.add.u32 [%rd1], %r2',
    'red.global.add.v4.f32 [%rd1], {%f1, %f2}',
    'red.global.add.v2.u32 [%rd1], {%r1, %r2}',
    'atom.global.cas.b32 %r1, [%rd1], %r2',
    'fence.acq_rel',
    'fence.proxy.other',
    'bar.sync.popc.u32 0',
    'trap.now',
    'red.global.add.noftz.f32 [%rd1], %f1',
    'multimem.st.global.add.f32 [%rd1], %f1',
    'multimem.red.global.min.f16x2 [%rd1], %r1',
    'multimem.red.weak.global.add.u32 [%rd1], %r1',
    'multimem.st.acquire.sys.global.u32 [%rd1], %r1',
    'multimem.ld_reduce.global.add.e4m3x4 %r1, [%rd1]',
    'cp.async.cg.shared.global [%r1], [%rd1], 12',
    'cp.async.ca.shared.global [%r1], [%rd1]',
    'cp.async.shared.global [%r1], [%rd1], 16',
    'cp.async.wait_group',
    'cp.async.mbarrier.arrive.shared.b64 [%r1]',
    'cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], 16, [%r3]',
    'cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1], [%r3]',
    'cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], 16',
    'cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1]',
    'mbarrier.pending_count.b64 %r1, %rd1',
    'mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1], 2',
    'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1}',
    'wgmma.fence.sync',
    'wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1}, [%rd1]',
    'tcgen05.mma.cta_group::2.kind::f16 [%r1], %rd1, %rd2, %r2, %p1',
  ];

  it('are refused with a reason and an alternative', () => {
    expect(texts.map((text) => `${text}\n    ${refusal(text)}`).join('\n')).toMatchInlineSnapshot(`
      "bar.sync 16, 64
          P1003 bar.sync names barrier 16, but barriers have the numbers 0 to 15
      bar.sync 1, 33
          P1003 bar.sync waits for 33 threads, which is not a whole number of warps | pass a multiple of 32
      bar.arrive 1
          P1003 bar.arrive needs 2 operands and has 1
      bar.red.popc.u32 %r1, 0, 40, %p1
          P1003 bar.red.popc.u32 waits for 40 threads, which is not a whole number of warps | pass a multiple of 32
      bar.red.popc.pred %p1, 0, %p1
          P2003 bar.red.popc.pred must name .u32, the type of .popc
      barrier.cluster.arrive.acquire
          P1003 barrier.cluster.arrive.acquire cannot be .acquire
      shfl.up.b32 %r1, %r2, 1, 0
          P1003 shfl.up.b32 needs .sync
      shfl.sync.up.b32 %r1, %r2, 1, 0
          P1003 shfl.sync.up.b32 needs 5 operands and has 4
      vote.all.pred %p1, %p2
          P1003 vote.all.pred needs .sync
      vote.sync.ballot.pred %p1, %p2, -1
          P2003 vote.sync.ballot.pred must name .b32, the type of .ballot
      match.any.sync.b16 %r1, %r2, -1
          P2002 match.any.sync.b16 has the modifier .b16, which is not supported | the modifiers are .sync, .any, .all, .b32, .b64
      redux.sync.add.f32 %f1, %f2, -1
          P2003 redux.sync.add.f32 does not support .add with .f32
      redux.sync.min.abs.f32 %f1, %f2, -1
          P2002 redux.sync.min.abs.f32 has the modifier .abs, which is not supported | the modifiers are .sync, .add, .min, .max, .and, .or, .xor, .u32, .s32, .b32, .f32
      atom.global.add.b32 %r1, [%rd1], %r2
          P2003 atom.global.add.b32 does not support .add with .b32 | use one of .u32, .s32, .u64, .f32, .f64, .f16, .f16x2, .bf16, .bf16x2
      atom.global.exch.b128 %r1, [%rd1], %r2
          P2003 atom.global.exch.b128 is an atomic of .b128, which would become several accesses here | update 8 bytes, and order the other accesses by that
      atom.volatile.global.add.u32 %r1, [%rd1], %r2
          P2002 atom.volatile.global.add.u32 has the modifier .volatile, which is not supported
      atom.relaxed.acquire.gpu.add.u32 %r1, [%rd1], %r2
          P1003 atom.relaxed.acquire.gpu.add.u32 takes only one of .relaxed and .acquire
      red.global.exch.b32 [%rd1], %r2
          P1003 red.global.exch.b32 cannot use .exch, which needs a result: use atom
      red.async.relaxed.cluster.global.add.u32 [%rd1], %r2
          P2002 red.async.relaxed.cluster.global.add.u32 has the modifier .relaxed, which is not supported | the modifiers are .async, .mmio, .release, .cta, .cluster, .gpu, .sys, .global, .add, .u32, .s32, .u64
      red.global.add.v4.f32 [%rd1], {%f1, %f2}
          P1003 red.global.add.v4.f32 needs 4 registers
      red.global.add.v2.u32 [%rd1], {%r1, %r2}
          P2003 red.global.add.v2.u32 does not support .add with .u32 | use one of .f32, .f16, .f16x2, .bf16, .bf16x2
      atom.global.cas.b32 %r1, [%rd1], %r2
          P1003 atom.global.cas.b32 needs 4 operands and has 3
      fence.acq_rel
          P1003 fence.acq_rel needs .cta, .cluster, .gpu or .sys
      fence.proxy.other
          P2002 fence.proxy.other has the modifier .other, which is not supported
      bar.sync.popc.u32 0
          P1003 bar.sync.popc.u32 does not take .popc
      trap.now
          P2002 trap.now has the modifier .now, which is not supported
      red.global.add.noftz.f32 [%rd1], %f1
          P1003 red.global.add.noftz.f32 does not take .noftz
      multimem.st.global.add.f32 [%rd1], %f1
          P1003 multimem.st.global.add.f32 does not take .add
      multimem.red.global.min.f16x2 [%rd1], %r1
          P2003 multimem.red.global.min.f16x2 does not support .min with .f16x2
      multimem.red.weak.global.add.u32 [%rd1], %r1
          P1003 multimem.red.weak.global.add.u32 cannot be .weak
      multimem.st.acquire.sys.global.u32 [%rd1], %r1
          P1003 multimem.st.acquire.sys.global.u32 cannot be .acquire
      multimem.ld_reduce.global.add.e4m3x4 %r1, [%rd1]
          P2002 multimem.ld_reduce.global.add.e4m3x4 has the modifier .e4m3x4, which is not supported
      cp.async.cg.shared.global [%r1], [%rd1], 12
          P1003 cp.async.cg.shared.global needs a constant size | copy 4, 8 or 16 bytes
      cp.async.ca.shared.global [%r1], [%rd1]
          P1003 cp.async.ca.shared.global needs 3 to 4 operands and has 2
      cp.async.shared.global [%r1], [%rd1], 16
          P1003 cp.async.shared.global needs .ca or .cg
      cp.async.wait_group
          P1003 cp.async.wait_group needs 1 operand and has 0
      cp.async.mbarrier.arrive.shared.b64 [%r1]
          translated
      cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], 16, [%r3]
          translated
      cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1], [%r3]
          P1003 cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes needs 1 coordinates in its brackets
      cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], 16
          translated
      cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1]
          P1003 cp.async.bulk.global.shared::cta.bulk_group needs 3 operands and has 2
      mbarrier.pending_count.b64 %r1, %rd1
          P2001 mbarrier.pending_count.b64 is not supported | use one of mbarrier.init, mbarrier.inval, mbarrier.arrive, mbarrier.expect_tx, mbarrier.complete_tx, mbarrier.test_wait, mbarrier.try_wait
      mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1], 2
          P2002 mbarrier.arrive.noComplete.shared.b64 has the modifier .noComplete, which is not supported
      mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1}
          P1003 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 needs 4, 4, 2, 4 registers
      wgmma.fence.sync
          P1003 wgmma.fence.sync needs .sync and .aligned
      wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1}, [%rd1]
          P2001 wmma.load.a.sync.aligned.row.m16n16k16.f16 is a matrix instruction, which is not supported | build the kernel without tensor cores, or import a kernel that only communicates
      tcgen05.mma.cta_group::2.kind::f16 [%r1], %rd1, %rd2, %r2, %p1
          P2001 tcgen05.mma.cta_group::2.kind::f16 works with two blocks of a cluster, which is not supported | build the kernel for .cta_group::1"
    `);
  });

  it('store, if they destroy the contents: discard', () => {
    const stores = printed('discard.global.L2 [%rd1], 128')
      .split('\n')
      .filter((line) => line.startsWith('  store '));
    expect(stores).toHaveLength(8);
    expect(stores.at(-1)).toContain('+ 112n:u64');
  });
});
