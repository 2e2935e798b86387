import { cft } from '@nccl-ts/cft';
import { printModule } from '@nccl-ts/ir';
import { kernel, u32, type Kernel } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';

function printed(of: Pick<Kernel, 'compile'>): string {
  const text = printModule(of.compile());
  return text.slice(text.indexOf('{\n'));
}

describe('memFence', () => {
  it('synchronizes the group before a release and after an acquire, and one thread fences', () => {
    const of = kernel({ name: 'k', use: { cft }, params: { n: u32 } }, ({ cft, coopCta }) => {
      cft.memFence(coopCta(), 'release', 'generic', 'fabric', 'system');
      cft.memFence(coopCta(), 'acquire', 'fabric', 'generic', 'system');
    });
    expect(printed(of)).toMatchInlineSnapshot(`
      "{
        sync cta
        if (threadLinear == 0:u32) {
          fenceProxy fabric generic fabric release.system
        }
        if (threadLinear == 0:u32) {
          fenceProxy fabric fabric generic acquire.system
        }
        sync cta
      }
      "
    `);
  });

  it('by one thread is only a fence, even with block scope, and nothing if it is relaxed', () => {
    const of = kernel({ name: 'k', use: { cft }, params: { n: u32 } }, ({ cft, coopThread }) => {
      cft.memFence(coopThread(), 'release', 'generic', 'fabric', 'block');
      cft.memFence(coopThread(), 'acq_rel', 'fabric', 'fabric', 'system');
      cft.memFence(coopThread(), 'acq_rel', 'generic', 'generic', 'system');
      cft.memFence(coopThread(), 'relaxed', 'fabric', 'fabric', 'system');
    });
    expect(printed(of)).toMatchInlineSnapshot(`
      "{
        if (0:u32 == 0:u32) {
          fenceProxy fabric generic fabric release.block
        }
        if (0:u32 == 0:u32) {
          fenceProxy fabric fabric fabric acq_rel.system
        }
        if (0:u32 == 0:u32) {
          fence acq_rel.system
        }
      }
      "
    `);
  });
});
