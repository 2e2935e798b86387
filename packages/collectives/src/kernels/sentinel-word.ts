import { deviceFn, deviceModule, type AuthorOf, type DeviceFn, type DeviceModule } from '@nccl-ts/kernel';
import { NOT_SENTINEL, SENTINEL, SENTINEL_BANKS, SENTINEL_HEAD } from '../fifo/sentinel.ts';

/** Encodes 16 bytes for travel: no 4 bytes of the result are zero. */
const maskedWord: DeviceFn<(word: number) => number> = deviceFn(
  { name: 'maskedWord', use: { SENTINEL, SPARE: NOT_SENTINEL ^ SENTINEL } },
  ({ SENTINEL, SPARE, lane, u32, vec }, word: number) => {
    const part = (i: number): number => {
      const masked = lane(word, i) ^ SENTINEL;
      return masked === 0 ? u32(SPARE) : masked;
    };
    return vec(u32, 4)(part(0), part(1), part(2), part(3));
  },
);

/** Decodes 16 bytes that have arrived. */
const unmaskedWord: DeviceFn<(word: number) => number> = deviceFn(
  { name: 'unmaskedWord', use: { SENTINEL } },
  ({ SENTINEL, u32, vec }, word: number) => word ^ vec(u32, 4)(SENTINEL),
);

/** True if all parts of a word have arrived. */
const hasCome: DeviceFn<(word: number) => boolean> = deviceFn(
  { name: 'hasCome' },
  ({ lane, min }, word: number) => min(min(lane(word, 0), lane(word, 1)), min(lane(word, 2), lane(word, 3))) !== 0,
);

/** The members of `sentinel` in a kernel. */
export interface Sentinel {
  readonly masked: AuthorOf<typeof maskedWord>;
  readonly unmasked: AuthorOf<typeof unmaskedWord>;
  readonly hasCome: AuthorOf<typeof hasCome>;
  /** The banks that the turns of a CTA alternate between. */
  readonly BANKS: number;
  /** The bytes before the first bank of a CTA. */
  readonly HEAD: number;
}

/** Words that show by themselves that they have arrived: `use: { sentinel }`. */
export const sentinel: DeviceModule<Sentinel> = deviceModule('sentinel', {
  masked: maskedWord,
  unmasked: unmaskedWord,
  hasCome,
  BANKS: SENTINEL_BANKS,
  HEAD: SENTINEL_HEAD,
});
