import { devComm, ginBarrierHandle, team } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { printModule } from '@nccl-ts/ir';
import { kernel, u32, type Kernel } from '@nccl-ts/kernel';
import { expect, it } from 'vitest';

const use = { gin };

function printed(of: Pick<Kernel, 'compile'>): string {
  return printModule(of.compile());
}

it('gin.barrier opens a session and synchronizes', () => {
  const params = { comm: devComm, index: u32, of: team, handle: ginBarrierHandle };
  const short = kernel({ name: 'k', use, params }, ({ gin, coopWarp }, { comm, index, of, handle }) => {
    const net = gin.context(comm, 1);
    gin.barrier(coopWarp(), net, 'rail', index, 'release', 'get', { team: of, handle, allContexts: true });
  });
  const long = kernel({ name: 'k', use, params }, ({ gin, coopWarp }, { comm, index, of, handle }) => {
    const net = gin.context(comm, 1);
    const bar = gin.barrierSession(coopWarp(), net, 'rail', index, { team: of, handle, allContexts: true });
    bar.sync(coopWarp(), 'release', 'get');
  });
  expect(printed(short)).toBe(printed(long));
});

it('gin.barrier uses the order acq_rel and the fence putGet by default', () => {
  const plain = kernel({ name: 'k', use, params: { comm: devComm } }, ({ gin, coopCta }, { comm }) => {
    gin.barrier(coopCta(), gin.context(comm, 0), 'world', 0);
  });
  const full = kernel({ name: 'k', use, params: { comm: devComm } }, ({ gin, coopCta }, { comm }) => {
    const bar = gin.barrierSession(coopCta(), gin.context(comm, 0), 'world', 0);
    bar.sync(coopCta(), 'acq_rel', 'putGet');
  });
  const steps = (of: Pick<Kernel, 'compile'>): string => printed(of).replaceAll(', fence = "putGet"', '');
  expect(steps(plain)).toBe(steps(full));
});
