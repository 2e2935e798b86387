import { devComm, llA2AHandle, team, window } from '@nccl-ts/devcomm';
import { scalarInfo } from '@nccl-ts/core';
import { bf16, f32, i8, kernel, u16, u32, u64, u8, vec, type Kernel, type ValueParam } from '@nccl-ts/kernel';
import { llA2A } from '@nccl-ts/ll-a2a';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count, scrambled } from '../fixture/numbers.ts';
import { createSlots } from './create-slots.ts';

const params = { comm: devComm, team, handle: llA2AHandle, input: window, out: window };
/** CTAs that each have a session, with threads that each have a value for every member. */
const ctas = 2;
const block = 8;

/** Values of one kind: `width` elements of type T. */
interface ValueForm {
  readonly T: ValueParam;
  readonly width: number;
  readonly bytes: number;
  readonly kernel: Kernel;
}

/**
 * Every thread sends each member a value from its CTA's part of the input, and stores the received
 * values to the same part of the output.
 */
function single(T: ValueParam): ValueForm {
  const of = kernel(
    { name: `values_${nameOf(T)}`, use: { llA2A, lsa, T }, params },
    ({ llA2A, lsa, T, coopCta, threadIdx, blockIdx, blockDim, i32 }, { comm, team, handle, input, out }) => {
      const session = llA2A.session(coopCta(), comm, team, handle, blockIdx.x, team.nRanks * blockDim.x);
      const first = i32(blockIdx.x) * team.nRanks * blockDim.x;
      for (let peer = i32(0); peer < team.nRanks; peer++) {
        const value = lsa.localPointer(input, T, 0).load(first + peer * blockDim.x + threadIdx.x);
        session.send(peer, team.rank * blockDim.x + threadIdx.x, value);
      }
      for (let from = i32(0); from < team.nRanks; from++) {
        const elt = from * blockDim.x + threadIdx.x;
        lsa.localPointer(out, T, 0).store(first + elt, session.recv(T, elt));
      }
      session.endEpoch(coopCta());
    },
  );
  return { T, width: 1, bytes: bytesOf(T), kernel: of };
}

/** The same with values that are several elements in memory, and that arrive in an array. */
function several(T: ValueParam, width: number): ValueForm {
  const of = kernel(
    { name: `values_${nameOf(T)}_times_${width}`, use: { llA2A, lsa, T, width }, params },
    (
      { llA2A, lsa, T, width, localArray, unroll, coopCta, threadIdx, blockIdx, blockDim, i32 },
      { comm, team, handle, input, out },
    ) => {
      const session = llA2A.session(coopCta(), comm, team, handle, blockIdx.x, team.nRanks * blockDim.x);
      const first = i32(blockIdx.x) * team.nRanks * blockDim.x;
      for (let peer = i32(0); peer < team.nRanks; peer++) {
        const values = lsa.localPointer(input, T, 0).offset((first + peer * blockDim.x + threadIdx.x) * width);
        session.send(peer, team.rank * blockDim.x + threadIdx.x, values, width);
      }
      const got = localArray(T, width);
      for (let from = i32(0); from < team.nRanks; from++) {
        const elt = from * blockDim.x + threadIdx.x;
        session.recvUnrolled(1, 1, elt, 1, 0, got, width);
        for (const k of unroll(width)) lsa.localPointer(out, T, 0).store((first + elt) * width + k, got.load(k));
      }
      session.endEpoch(coopCta());
    },
  );
  return { T, width, bytes: bytesOf(T) * width, kernel: of };
}

function scalarOf(T: ValueParam): keyof typeof scalarInfo {
  return T.kind === 'scalar' ? T.scalar : T.element;
}

function nameOf(T: ValueParam): string {
  return T.kind === 'scalar' ? T.scalar : `${T.element}x${T.width}`;
}

function bytesOf(T: ValueParam): number {
  return scalarInfo[scalarOf(T)].bytes * (T.kind === 'scalar' ? 1 : T.width);
}

/** Bytes that are valid in every type. As floats they are finite. */
function bytesFor({ T }: ValueForm, n: number, seed: number): readonly number[] {
  const most = scalarInfo[scalarOf(T)].class === 'float' ? 0x48 : 0x100;
  return scrambled(n, seed).map((number) => number % most);
}

function valuesCase<const Id extends string>(id: Id, mirrors: string, kinds: readonly ValueForm[]): Case<Id> {
  const plain = ['i32', 'u32', 'f32'];
  const scalars = [...new Set([...kinds.map(({ T }) => scalarOf(T)), 'u64' as const])].filter(
    (kind) => !plain.includes(kind),
  );
  return defineCase({
    id,
    mirrors,
    requires: { scalars: [...scalars, ...(['u8', 'u16'] as const).filter((kind) => !scalars.includes(kind))] },
    ranks: [2, 8],
    kernels: kinds.map((kind) => kind.kernel),
    run: async ({ run, shape: { lsaSize } }) => {
      await run(async (comm) => {
        for (const kind of kinds) {
          const { bytes } = kind;
          const slots = await createSlots(comm, 'lsa', ctas, (of) => of.nRanks * block, bytes);
          const total = ctas * lsaSize * block * bytes;
          const input = await comm.allocWindow('u8', total);
          const out = await comm.allocWindow('u8', total);
          const inputOf = (rank: number): readonly number[] => bytesFor(kind, total, 1 + rank);
          await input.write(Uint8Array.from(inputOf(comm.lsaRank)));
          await comm.launch(kind.kernel, { grid: ctas, block }, { ...slots, input, out });
          await meet(comm);
          // The data that each member has for this rank.
          const part = block * bytes;
          const sent = count(ctas).flatMap((cta) =>
            count(lsaSize).flatMap((rank) => {
              const begin = (cta * lsaSize + comm.lsaRank) * part;
              return inputOf(rank).slice(begin, begin + part);
            }),
          );
          expectValues(`${kind.kernel.name} on rank ${comm.rank}`, await out.read(), sent);
        }
      });
    },
  });
}

export const numbers: Case<'ll-a2a/values/numbers'> = valuesCase(
  'll-a2a/values/numbers',
  'ncclLLA2ASession::send and recv of values of 1, 2, 4 and 8 bytes',
  [single(u8), single(i8), single(bf16), single(f32), single(u64)],
);

export const vectors: Case<'ll-a2a/values/vectors'> = valuesCase(
  'll-a2a/values/vectors',
  'ncclLLA2ASession::send and recv of up to 16 bytes',
  [single(vec(u8, 2)), single(vec(u16, 2)), single(vec(f32, 2)), single(vec(bf16, 8)), single(vec(f32, 4))],
);

export const wide: Case<'ll-a2a/values/wide'> = valuesCase(
  'll-a2a/values/wide',
  'ncclLLA2ASession::send and recvUnrolled of up to 32 bytes, over slots with the pitch of maxElts',
  [several(u8, 3), several(u16, 5), several(u32, 3), several(u64, 3), several(vec(f32, 4), 2)],
);
