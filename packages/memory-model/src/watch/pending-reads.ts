import type { Place } from '../scope.ts';
import { joinedSnapshot } from './clock.ts';
import { newest, type Published } from './published.ts';

/** What a thread has read of a strong write without acquiring it. A later fence may. */
interface Pending {
  readonly address: number;
  readonly published: readonly Published[];
}

/** How many words are remembered one by one. */
const MOST = 32;

/**
 * What one thread has read relaxed and not acquired. Of few words it is kept word by word; of those read longest ago, what threads of one
 * CTA have published in the same reach is one: a fence acquires them all, and nobody asks for the word.
 */
export class PendingReads {
  #words: Pending[] = [];
  #folded: Published[] = [];

  add(address: number, published: readonly Published[]): void {
    const index = this.#words.findIndex((one) => one.address === address);
    const [known] = index === -1 ? [] : this.#words.splice(index, 1);
    this.#words.push({ address, published: newest(published, known?.published ?? []) });
    if (this.#words.length > MOST) this.#foldOldest();
  }

  /** Offers what was read, or what was read at `address`, to `takes`; what it takes is done with. */
  claim(takes: (published: Published) => boolean, address?: number): void {
    // What a word has published is offered whole, even where some of it is taken.
    const keeps = ({ published }: Pending): boolean => published.filter((one) => !takes(one)).length > 0;
    this.#words = this.#words.filter((one) => (address !== undefined && one.address !== address) || keeps(one));
    if (address === undefined) this.#folded = this.#folded.filter((one) => !takes(one));
  }

  #foldOldest(): void {
    // What is settled with the network is asked for by its word.
    const index = this.#words.findIndex(({ published }) => published.every(({ got }) => got === undefined));
    const [oldest] = index === -1 ? [] : this.#words.splice(index, 1);
    for (const one of oldest?.published ?? []) this.#fold(one);
  }

  #fold({ snapshot, width, by }: Published): void {
    const index = this.#folded.findIndex((one) => one.width === width && isAlike(one, width, by));
    const [known] = index === -1 ? [] : this.#folded.splice(index, 1);
    const both = known === undefined ? [] : [known.snapshot];
    this.#folded.push({ snapshot: joinedSnapshot(snapshot, ...both), width, by });
  }
}

/** Whether scopes of `width` reach the same threads around both. */
function isAlike({ by }: Published, width: Published['width'], { cta, thread }: Place): boolean {
  return by.cta === cta && (width > 1 || by.thread === thread);
}
