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
      ),
    ).toMatchInlineSnapshot(`
      "{
        fence acq_rel.device
        fence acq_rel.block
        fence seq_cst.system
        fence acquire.system
        fence release.block
        fence seq_cst.block
        fence seq_cst.device
        fence seq_cst.system
        call bulk.fence()
        fence release.block
        fenceProxy alias
        call bulk.fence()
        call bulk.fence()
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

describe('hints', () => {
  it('have no effect', () => {
    expect(
      printed(
        'nanosleep.u32 %r1',
        'prefetch.global.L2 [%rd1]',
        'prefetchu.L1 [%rd1]',
        'prefetch.global.L2::evict_last [%rd1]',
        'applypriority.global.L2::evict_normal [%rd1], 128',
        'discard.global.L2 [%rd1], 128',
        'setmaxnreg.inc.sync.aligned.u32 40',
        'brkpt',
        'pmevent 3',
        'barrier.cluster.arrive',
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
    'wgmma.fence.sync.aligned',
  ];

  it('are refused with a reason and an alternative', () => {
    expect(texts.map((text) => `${text}\n    ${refusal(text)}`).join('\n')).toMatchInlineSnapshot(`
      "bar.sync 16, 64
          P1003 cannot translate bar.sync because there is no barrier 16
      bar.sync 1, 33
          P1003 cannot translate bar.sync because 33 threads are not a whole number of warps | pass a multiple of 32
      bar.arrive 1
          P1003 cannot translate bar.arrive because it has 1 operands and not 2
      bar.red.popc.u32 %r1, 0, 40, %p1
          P1003 cannot translate bar.red.popc.u32 because 40 threads are not a whole number of warps | pass a multiple of 32
      bar.red.popc.pred %p1, 0, %p1
          P2003 cannot translate bar.red.popc.pred because .popc returns .u32
      barrier.cluster.arrive.acquire
          P1003 cannot translate barrier.cluster.arrive.acquire because it cannot be .acquire
      shfl.up.b32 %r1, %r2, 1, 0
          P1003 cannot translate shfl.up.b32 because it lacks .sync
      shfl.sync.up.b32 %r1, %r2, 1, 0
          P1003 cannot translate shfl.sync.up.b32 because it has 4 operands and not 5
      vote.all.pred %p1, %p2
          P1003 cannot translate vote.all.pred because it lacks .sync
      vote.sync.ballot.pred %p1, %p2, -1
          P2003 cannot translate vote.sync.ballot.pred because .ballot returns .b32
      match.any.sync.b16 %r1, %r2, -1
          P2002 cannot translate match.any.sync.b16 because its modifier .b16 is not supported | the modifiers are .sync, .any, .all, .b32, .b64
      redux.sync.add.f32 %f1, %f2, -1
          P2003 cannot translate redux.sync.add.f32 because .add is not supported for .f32
      redux.sync.min.abs.f32 %f1, %f2, -1
          P2002 cannot translate redux.sync.min.abs.f32 because its modifier .abs is not supported | the modifiers are .sync, .add, .min, .max, .and, .or, .xor, .u32, .s32, .b32, .f32
      atom.global.add.b32 %r1, [%rd1], %r2
          P2003 cannot translate atom.global.add.b32 because .add is not supported for .b32 | the types are .u32, .s32, .u64, .f32, .f64, .f16, .f16x2, .bf16, .bf16x2
      atom.global.exch.b128 %r1, [%rd1], %r2
          P2003 cannot translate atom.global.exch.b128 because here an atomic of .b128 would become several accesses | update 8 bytes, and order the other accesses by that
      atom.volatile.global.add.u32 %r1, [%rd1], %r2
          P2002 cannot translate atom.volatile.global.add.u32 because its modifier .volatile is not supported
      atom.relaxed.acquire.gpu.add.u32 %r1, [%rd1], %r2
          P1003 cannot translate atom.relaxed.acquire.gpu.add.u32 because it takes only one of .relaxed and .acquire
      red.global.exch.b32 [%rd1], %r2
          P1003 cannot translate red.global.exch.b32 because red has no .exch
      red.async.relaxed.cluster.global.add.u32 [%rd1], %r2
          P2002 cannot translate red.async.relaxed.cluster.global.add.u32 because its modifier .async is not supported
      red.global.add.v4.f32 [%rd1], {%f1, %f2}
          P1003 cannot translate red.global.add.v4.f32 because it takes 4 registers
      red.global.add.v2.u32 [%rd1], {%r1, %r2}
          P2003 cannot translate red.global.add.v2.u32 because .add is not supported for .u32 | the types are .f32, .f16, .f16x2, .bf16, .bf16x2
      atom.global.cas.b32 %r1, [%rd1], %r2
          P1003 cannot translate atom.global.cas.b32 because it has 3 operands and not 4
      fence.acq_rel
          P1003 cannot translate fence.acq_rel because it lacks .cta, .cluster, .gpu or .sys
      fence.proxy.other
          P2002 cannot translate fence.proxy.other because its modifier .other is not supported
      bar.sync.popc.u32 0
          P1003 cannot translate bar.sync.popc.u32 because .popc is not supported for it
      trap.now
          P2002 cannot translate trap.now because its modifier .now is not supported
      red.global.add.noftz.f32 [%rd1], %f1
          P1003 cannot translate red.global.add.noftz.f32 because .noftz is not supported for it
      multimem.st.global.add.f32 [%rd1], %f1
          P1003 cannot translate multimem.st.global.add.f32 because .add is not supported for it
      multimem.red.global.min.f16x2 [%rd1], %r1
          P2003 cannot translate multimem.red.global.min.f16x2 because .min is not supported for .f16x2
      multimem.red.weak.global.add.u32 [%rd1], %r1
          P1003 cannot translate multimem.red.weak.global.add.u32 because multimem.red is never .weak
      multimem.st.acquire.sys.global.u32 [%rd1], %r1
          P1003 cannot translate multimem.st.acquire.sys.global.u32 because multimem.st is never .acquire
      multimem.ld_reduce.global.add.e4m3x4 %r1, [%rd1]
          P2002 cannot translate multimem.ld_reduce.global.add.e4m3x4 because its modifier .e4m3x4 is not supported
      cp.async.cg.shared.global [%r1], [%rd1], 12
          P1003 cannot translate cp.async.cg.shared.global because it does not say its size | give 4, 8 or 16 bytes
      cp.async.ca.shared.global [%r1], [%rd1]
          P1003 cannot translate cp.async.ca.shared.global because it has 2 operands and not 3 to 4
      cp.async.shared.global [%r1], [%rd1], 16
          P1003 cannot translate cp.async.shared.global because it lacks .ca or .cg
      cp.async.wait_group
          P1003 cannot translate cp.async.wait_group because it has 0 operands and not 1
      cp.async.mbarrier.arrive.shared.b64 [%r1]
          P2001 cannot translate cp.async.mbarrier.arrive.shared.b64 because copies by cp.async that end at an mbarrier, and bulk copies that reduce, are not supported | copy by cp.async.bulk, by loads and stores, or by cp.async and its groups
      cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], 16, [%r3]
          P2001 cannot translate cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes because only bulk copies from global to shared memory and back are supported | build the kernel for clusters of one CTA
      cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1], [%r3]
          P2001 cannot translate cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes because copies of tensors are not supported | copy by cp.async.bulk without a tensor map, by loads and stores, or by cp.async
      cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], 16
          P2001 cannot translate cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 because copies by cp.async that end at an mbarrier, and bulk copies that reduce, are not supported | copy by cp.async.bulk, by loads and stores, or by cp.async and its groups
      cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1]
          P1003 cannot translate cp.async.bulk.global.shared::cta.bulk_group because it has 2 operands and not 3
      mbarrier.pending_count.b64 %r1, %rd1
          P2001 cannot translate mbarrier.pending_count.b64 because of .pending_count | what is supported is mbarrier.init, mbarrier.inval, mbarrier.arrive, mbarrier.expect_tx, mbarrier.complete_tx, mbarrier.test_wait, mbarrier.try_wait
      mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1], 2
          P2002 cannot translate mbarrier.arrive.noComplete.shared.b64 because its modifier .noComplete is not supported
      mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1}
          P2001 cannot translate mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 because matrix instructions are not supported | build the kernel without tensor cores, or import a kernel that only communicates
      wgmma.fence.sync.aligned
          P2001 cannot translate wgmma.fence.sync.aligned because matrix instructions are not supported | build the kernel without tensor cores, or import a kernel that only communicates"
    `);
  });
});
