import { resourceLsaPointer, type DevComm } from '@nccl-ts/devcomm';
import { deviceFn, structParam, u32, type DeviceFn } from '@nccl-ts/kernel';
import { NOT_SENTINEL, SENTINEL, SENTINEL_BUFFERS, SENTINEL_HEAD, SENTINEL_WORDS } from '../fifo/sentinel.ts';
import type { DeviceCall } from './collective-frame.ts';
import { collectiveKernels, type CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';

/** Where the buffers are. How many turns there were is kept there, so calls share nothing else. */
export interface SentinelPlaces {
  readonly buffers: number;
}

const places = /* @__PURE__ */ structParam<SentinelPlaces, SentinelPlaces>({
  struct: 'SentinelPlaces',
  fields: { buffers: u32 },
});

const withBuffers: DeviceFn<(comm: DevComm, places: SentinelPlaces, calls: (session: SentinelPlaces) => void) => void> =
  /* @__PURE__ */ deviceFn(
    { name: 'withBuffers' },
    (_context, _comm: DevComm, places: SentinelPlaces, calls: (session: SentinelPlaces) => void) => {
      calls(places);
    },
  );

/**
 * AllReduce of floats within one load-store domain for few elements: every rank stores all of its
 * elements to all ranks, and a word has arrived when it is no longer the sentinel. There are no
 * flags and no barriers. A rank reuses a buffer three rounds later; by then it has seen words that
 * the buffer's reader stored after clearing it. A data word that equals the sentinel, a NaN,
 * becomes another NaN. All ranks get the same bits. `send` may be `recv`, and both may have
 * different offsets on different ranks.
 *
 * Elements have 2 or 4 bytes. Each CTA has its own buffers.
 */
export function sentinelAllReduce(shape: KernelShape): CollectiveKernels<SentinelPlaces> {
  const { T, A, element } = shape;
  const { join, after } = element;
  const givenOf = (scratch: SentinelPlaces): SentinelPlaces => scratch;
  return collectiveKernels(
    deviceFn(
      {
        name: 'sentinelAllReduce',
        use: {
          resourceLsaPointer,
          join,
          after,
          T,
          A,
          SENTINEL,
          NOT_SENTINEL,
          BUFFERS: SENTINEL_BUFFERS,
          HEAD: SENTINEL_HEAD,
          WORDS: SENTINEL_WORDS,
        },
      },
      (
        {
          resourceLsaPointer,
          join,
          after,
          T,
          A,
          SENTINEL,
          NOT_SENTINEL,
          BUFFERS,
          HEAD,
          WORDS,
          coopCta,
          threadIdx,
          blockIdx,
          blockDim,
          gridDim,
          bitcast,
          fence,
          lane,
          localArray,
          min,
          sizeOf,
          typeOf,
          u8,
          u32,
          unroll,
          vec,
        },
        comm: DevComm,
        { buffers }: SentinelPlaces,
        { send, recv, count }: DeviceCall,
        _nth: number,
      ) => {
        const width = 4 / sizeOf(T);
        const I = typeOf(count);
        const nRanks = u32(comm.lsaSize);
        const rank = u32(comm.lsaRank);
        const turnWords = nRanks * WORDS;
        const at = blockIdx.x * (HEAD + 4 * BUFFERS * turnWords);
        const state = resourceLsaPointer(comm, u8, buffers, comm.lsaRank).offset(at).cast(u32);
        const mine = resourceLsaPointer(comm, u8, buffers, comm.lsaRank)
          .offset(at + HEAD)
          .cast(u32);
        const input = send.localPtr();
        const output = recv.localPtr();
        const total = localArray(A, width);
        const words = (count + (width - 1)) / width;
        let turn = state.load(0);
        let used = state.load(1);
        coopCta().sync();

        for (let begin = I(blockIdx.x * WORDS); begin < words; begin += I(gridDim.x * WORDS)) {
          const here = u32(min(words - begin, I(WORDS)));
          const now = (turn % BUFFERS) * turnWords;
          const last = ((turn + BUFFERS - 1) % BUFFERS) * turnWords;
          // A thread that reads the data stored from here on may store to the cleared memory.
          fence('release', 'system');
          for (let w = threadIdx.x; w < here; w += blockDim.x) {
            const first = (begin + w) * width;
            let word = u32(0);
            if (width === 1) word = bitcast(u32, input.load(first));
            else word = bitcast(u32, vec(T, 2)(input.load(first), first + 1 < count ? input.load(first + 1) : T(0)));
            if (word === SENTINEL) word = NOT_SENTINEL;
            for (let peer = u32(0); peer < nRanks; peer++) {
              const theirs = resourceLsaPointer(comm, u8, buffers, peer)
                .offset(at + HEAD)
                .cast(u32);
              theirs.store(now + rank * WORDS + w, word ^ SENTINEL, 'relaxed', 'system');
            }
          }
          coopCta().waitAll(nRanks * here, (i) => {
            const place = now + (u32(i) / here) * WORDS + (u32(i) % here);
            return mine.load(place, 'relaxed', 'system') !== 0;
          });
          fence('acquire', 'system');
          coopCta().sync();
          for (let w = threadIdx.x; w < here; w += blockDim.x) {
            const first = (begin + w) * width;
            for (let from = u32(0); from < nRanks; from++) {
              const place = now + from * WORDS + w;
              const came = bitcast(width === 1 ? T : vec(T, 2), mine.load(place, 'relaxed', 'system') ^ SENTINEL);
              for (const k of unroll(width)) {
                const next = A(width === 1 ? came : lane(came, k));
                if (from === 0) total[k] = next;
                else total[k] = A(join(total.load(k), next));
              }
            }
            for (const k of unroll(width)) {
              if (first + k < count) output[first + k] = T(A(after(total.load(k), nRanks)));
            }
          }
          for (let from = u32(0); from < nRanks; from++) {
            for (let w = threadIdx.x; w < used; w += blockDim.x) mine[last + from * WORDS + w] = 0;
          }
          used = here;
          turn++;
          coopCta().sync();
        }
        if (threadIdx.x === 0) {
          state[0] = turn;
          state[1] = used;
        }
      },
    ),
    { param: places, givenOf, open: withBuffers },
    shape,
  );
}
