import { array, bf16, bytes as bytesType, harness, ptr, struct, u32 } from '@nccl-ts/harness';
import { MULTIPROCESSORS, inputAt, partsOf, sizesUpTo, type PublicKernel } from '../public-kernel.ts';

const PushParams = struct({
  input: ptr,
  output: ptr,
  vectors: u32,
  rank: u32,
  workspaces: array(ptr, 2),
  counter: ptr,
  multicast: ptr,
  slotBytes: u32,
});

const PullParams = struct({
  output: ptr,
  vectors: u32,
  rank: u32,
  graphParams: ptr,
  semaphores: array(ptr, 2),
  workspaces: array(ptr, 2),
  multicastSemaphore: ptr,
  multicast: ptr,
});

const Semaphore = struct({ flag: u32, counter: u32, rest: bytesType(120, 4) });

/** `choose_block_size` of its host code. */
function threadsFor(vectors: number): number {
  return [128, 256, 512].find((threads) => partsOf(vectors, threads) <= MULTIPROCESSORS) ?? 1024;
}

function push(shots: 1 | 2): PublicKernel {
  return {
    name: `sglang-push-${shots}`,
    source: `SGLang: all_reduce_${shots}shot_push_kernel<bf16, 2, true>`,
    sizes: sizesUpTo(4 << 20),
    harness: (bytes) => {
      const vectors = bytes / 16;
      return harness({
        kernel: 'sglang.ptx',
        entry: `all_reduce_${shots}shot_push_kernel`,
        ranks: 2,
        grid: MULTIPROCESSORS,
        block: threadsFor(vectors),
        launches: 1,
        setup({ rank, nRanks, alloc, peers, sum }) {
          const count = bytes / 2;
          const output = alloc('output', bf16, count);
          const workspace = alloc('workspace', u32, (2 * nRanks * bytes) / 4, () => 0);
          const params = PushParams({
            // Zero means that a word has not come, and the kernel sends -0 in its place.
            input: alloc('input', bf16, count, (i) => inputAt(rank, i) + 1),
            output,
            vectors,
            rank,
            workspaces: [...peers(workspace)],
            counter: alloc('counter', u32, MULTIPROCESSORS, () => 0),
            slotBytes: bytes,
          });
          return { args: [params], expect: () => output.equals((i) => sum((r) => inputAt(r, i) + 1)) };
        },
      });
    },
  };
}

function pull(shots: 1 | 2): PublicKernel {
  return {
    name: `sglang-pull-${shots}`,
    source: `SGLang: all_reduce_${shots}shot_pull_kernel<LoadStoreImpl, bf16, 2, true>, without its copies`,
    sizes: sizesUpTo(16 << 20),
    harness: (bytes) => {
      const vectors = bytes / 16;
      return harness({
        kernel: 'sglang.ptx',
        entry: `all_reduce_${shots}shot_pull_kernel`,
        ranks: 2,
        grid: MULTIPROCESSORS,
        block: threadsFor(shots === 1 ? vectors : vectors / 2),
        launches: 1,
        setup({ rank, alloc, peers, sum }) {
          const count = bytes / 2;
          const workspace = alloc('workspace', bf16, count, (i) => inputAt(rank, i));
          const output = alloc('output', bf16, count);
          const semaphores = alloc('semaphores', Semaphore, MULTIPROCESSORS, () => ({ flag: 0, counter: 0 }));
          const params = PullParams({
            output,
            vectors,
            rank,
            semaphores: [...peers(semaphores)],
            workspaces: [...peers(workspace)],
          });
          const result = shots === 1 ? output : workspace;
          return { args: [params], expect: () => result.equals((i) => sum((r) => inputAt(r, i))) };
        },
      });
    },
  };
}

/** SGLang's custom AllReduce. */
export const sglang: readonly PublicKernel[] = [push(1), push(2), pull(1), pull(2)];
