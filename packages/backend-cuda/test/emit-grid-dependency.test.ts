import { cuda, emitCuda, type CudaSource } from '@nccl-ts/backend-cuda';
import { devComm, window } from '@nccl-ts/devcomm';
import { validate } from '@nccl-ts/ir';
import { kernel, ptr, u32, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';

function emitted(of: Kernel): CudaSource {
  const result = validate(of.compile(), cuda().capabilities);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return emitCuda(result.module, { ncclVersion: 22809, abortable: false });
}

const waits = (WAITS: boolean, TRIGGERS: boolean) =>
  kernel(
    { name: 'depends', use: { lsa, WAITS, TRIGGERS }, params: { comm: devComm, win: window } },
    ({ lsa, WAITS, TRIGGERS, launchDependents, gridDependencySync, u32 }, { win }) => {
      const words = lsa.localPointer(win, u32, 0);
      const own = lsa.localPointer(win, u32, 64);
      own.store(0, 1);
      if (WAITS) gridDependencySync();
      own.store(1, words.load(0));
      if (TRIGGERS) launchDependents();
    },
  );

function bodyOf({ text }: CudaSource): string {
  return text.slice(text.indexOf('extern "C"'));
}

describe('a kernel with an explicit wait for the previous launch', () => {
  it('waits only there, and is not launched early by default', async () => {
    const source = emitted(waits(true, true));
    await expect(source.text).toMatchFileSnapshot('snapshots/grid-dependency.cu');
    expect(source.waitsForEarlier).toBe(false);
    expect(source.text).not.toContain('wait_for_earlier');
    expect(source.text).toContain('asm volatile("griddepcontrol.wait;" ::: "memory");');
    expect(source.text).toContain('asm volatile("griddepcontrol.launch_dependents;" ::: "memory");');
  });

  it('lets the next launch begin at its trigger, and not at its entry', () => {
    const source = emitted(waits(false, true));
    expect(source.waitsForEarlier).toBe(true);
    const body = bodyOf(source);
    expect(body.match(/nts::\w+\(\);/g)).toEqual(['nts::grid_dependency_sync();', 'nts::launch_dependents();']);
    expect(source.text).not.toContain('wait_for_earlier');
  });

  it('does both at its entry by default', () => {
    const source = emitted(waits(false, false));
    expect(source.waitsForEarlier).toBe(true);
    expect(bodyOf(source).match(/nts::\w+\(\);/g)).toEqual(['nts::wait_for_earlier();']);
  });

  it('resolves windows and computes addresses before the wait, and loads after it', () => {
    const lines = bodyOf(emitted(waits(false, false))).split('\n');
    const at = (part: string): number => lines.findIndex((line) => line.includes(part));
    const order = ['win_own =', 'words =', 'nts::early(win_own, words, own); nts::wait_for_earlier();', '*own ='];
    const found = order.map(at);
    expect(found).not.toContain(-1);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
  });

  it('has nothing to compute early without a window', () => {
    const plain = kernel({ name: 'plain', params: { p: ptr(u32) } }, ({ threadIdx }, { p }) => {
      const own = p.offset(threadIdx.x);
      own.store(0, 1);
    });
    expect(emitted(plain).text).not.toContain('early(');
  });
});
