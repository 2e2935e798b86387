import { quotedLocation, type FindingLabel, type Site } from '@nccl-ts/findings';
import { type ASYNC, type BULK, hostLabel } from '@nccl-ts/backend-sim/internal';
import type { CtaIdentity, KernelText } from '@nccl-ts/transport';
import type { SourceLocation, Span } from '@nccl-ts/ir';
import type { AgentProgram, AttemptRead, GraphEvent, Run } from '@nccl-ts/memory-model';

/** The owner of an agent. */
export type Owner =
  | { readonly kind: 'host'; readonly rank: number }
  | { readonly kind: 'launch'; readonly rank: number }
  | {
      readonly kind: 'thread' | 'network';
      /** For the network: the source location of the post. */
      readonly site?: number;
      readonly rank: number;
      readonly kernel: KernelText;
      readonly launch: number;
      /** The purpose of the launch, or its number on its rank. */
      readonly purpose: string;
      readonly cta: CtaIdentity;
      readonly thread: number;
      /**
       * For a copy or a store that runs beside the thread: the end of the words for its accesses.
       */
      readonly by?: typeof BULK | typeof ASYNC;
      /** For a waiting thread: describes the values that it is waiting for. */
      readonly needed?: (read: AttemptRead) => string;
      /** For a waiting thread: returns true if a time limit ends its wait. */
      readonly isTimed?: () => boolean;
    };

interface NumberedSite extends Site {
  readonly kernel: KernelText;
  /** True for an ordinary store through a multicast address. */
  readonly broadcast?: true;
}

/** Properties that distinguish source locations besides their place and action. */
interface SiteTraits {
  readonly polls?: boolean;
  readonly broadcast?: true | undefined;
  readonly isNonCoherent?: boolean;
}

/** The participants of an execution: converts numbers of agents and source locations to labels. */
export class Participants {
  readonly #owners = new WeakMap<AgentProgram, Owner>();
  readonly #sites: NumberedSite[] = [];
  readonly #numbers = new Map<Span, Map<string, number>>();
  readonly #calls = new Map<string, SourceLocation>();

  add(program: AgentProgram, owner: Owner): AgentProgram {
    this.#owners.set(program, owner);
    return program;
  }

  get sites(): readonly NumberedSite[] {
    return this.#sites;
  }

  /** Returns the number of a source location. Equal requests get the same number. */
  site(kernel: KernelText, span: Span, what: string, traits: SiteTraits = {}): number {
    const { polls = false, broadcast, isNonCoherent = false } = traits;
    let numbers = this.#numbers.get(span);
    if (numbers === undefined) {
      numbers = new Map();
      this.#numbers.set(span, numbers);
    }
    const name = broadcast === true ? `${what} to a copy` : what;
    let number = numbers.get(name);
    if (number === undefined) {
      number =
        this.#sites.push({
          kernel,
          span,
          what,
          ...(polls ? { polls } : {}),
          ...(broadcast === true ? { broadcast } : {}),
          ...(isNonCoherent ? { isNonCoherent } : {}),
        }) - 1;
      numbers.set(name, number);
    }
    return number;
  }

  ownerOf(run: Run, agent: number): Owner | undefined {
    return agent === 0 ? undefined : this.#owners.get(run.agent(agent).program);
  }

  /** The site of a host program's copy: the same text for the same call. */
  hostSite(call: SourceLocation | undefined): string {
    if (call === undefined) return 'host';
    const site = `host ${call.file}:${call.line}:${call.column}`;
    this.#calls.set(site, call);
    return site;
  }

  /** The label of an event. */
  label(run: Run, event: Pick<GraphEvent, 'agent' | 'site' | 'access' | 'kind'>): FindingLabel {
    const owner = this.ownerOf(run, event.agent);
    const at = owner?.kind === 'network' ? owner.site : event.site;
    const site = typeof at === 'number' ? this.#sites[at] : undefined;
    if (owner === undefined) throw new RangeError(`Agent ${event.agent} is nobody's.`);
    const { rank } = owner;
    if (owner.kind === 'host' || owner.kind === 'launch') {
      return hostLabel(rank, `host ${event.kind}`, this.#calls.get(String(event.site)));
    }
    const location = site === undefined ? undefined : quotedLocation(site.kernel, site.span);
    const { access } = event;
    return Object.freeze({
      agent: owner.kind,
      does: owner.kind === 'network' ? String(event.site) : `${site?.what ?? event.kind}${owner.by ?? ''}`,
      rank,
      kernel: owner.kernel.name,
      launch: owner.launch,
      purpose: owner.purpose,
      blockIdx: owner.cta.blockIdx,
      thread: owner.thread,
      ...(location === undefined ? {} : { place: location }),
      ...(site?.polls === undefined ? {} : { polls: site.polls }),
      ...(access === undefined ? {} : { access }),
    } satisfies FindingLabel);
  }
}
