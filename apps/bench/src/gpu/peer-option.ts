import { UsageError } from '../nccl-tests/usage-error.ts';

/** An implementation that a process of its own measures. */
export interface Peer {
  readonly name: string;
  /** The command of the process. Peers of one command share it. */
  readonly command: string;
}

const form = '--peer NAME[,NAME...]=COMMAND';

/**
 * The peers of all options `--peer NAME[,NAME...]=COMMAND`.
 *
 * @throws UsageError if an option has another form, or a name comes twice.
 */
export function peersOf(args: readonly string[]): readonly Peer[] {
  const peers: Peer[] = [];
  for (const [i, word] of args.entries()) {
    if (word !== '--peer') continue;
    const given = args[i + 1];
    const [, names, command] = /^([^=]+)=\s*(\S.*)$/.exec(given ?? '') ?? [];
    if (names === undefined || command === undefined) throw new UsageError(`--peer ${given}: it must be ${form}`);
    for (const name of names.split(',')) {
      if (name === '') throw new UsageError(`--peer ${given}: a name is empty; it must be ${form}`);
      if (peers.some((peer) => peer.name === name)) throw new UsageError(`--peer ${given}: ${name} comes twice`);
      peers.push({ name, command });
    }
  }
  return peers;
}
