import { validate, type Module, type ValidatedModule } from '@nccl-ts/ir';
import { changeSites, probeSites, type SiteChange } from '@nccl-ts/mutation';
import {
  defineBackend,
  type Backend,
  type BackendWorld,
  type Dim3,
  type Executable,
  type KernelArg,
  type LaunchConfig,
  type WindowHandle,
} from '@nccl-ts/transport';
import { isOf, type ProgramPlace } from './program-places.ts';
import { readingKernel, REWRITING, rewritingKernel } from './rewriting.ts';

/** A change of a place. `probed`: a thread that comes there faults. */
export interface PlaceChange {
  readonly place: ProgramPlace;
  readonly to: SiteChange | 'probed';
}

/**
 * A kernel of a program, the threads of its largest CTA, the CTAs of its largest grid, and the
 * numbers of the windows that it gets.
 */
export interface LaunchedKernel {
  readonly module: ValidatedModule;
  readonly windows: Set<number>;
  blockThreads: number;
  ctas: number;
  /** True if a launch may begin before the previous one has ended. */
  isProgrammatic: boolean;
}

/** Which windows are written again around each launch: none, all, or one by its number. */
export type Rewritten = 'none' | 'all' | number;

/** The launches that are added to those of a program. */
export interface AddedLaunches {
  readonly rewritten: Rewritten;
  /** True if those windows are only read. */
  readonly reads?: boolean;
  /** True if each launch is made twice. */
  readonly twice?: boolean;
}

const SMALL: Dim3 = Object.freeze({ x: 32, y: 1, z: 1 });
const ONE: Dim3 = Object.freeze({ x: 1, y: 1, z: 1 });

/** Makes changes in the kernels of a program, and adds launches around its own, while it runs. */
export class ChangedKernels {
  readonly #changes: readonly PlaceChange[];
  readonly #added: AddedLaunches;
  readonly #changed = new Map<ValidatedModule, ValidatedModule>();
  readonly #launched = new Map<Executable, LaunchedKernel>();
  /** The number of windows of the largest world. */
  windows = 0;
  /** The number of launches that were added. */
  added = 0;
  /** The message of the first changed kernel that is not valid. */
  invalid: string | undefined;

  constructor(changes: readonly PlaceChange[], added: AddedLaunches) {
    this.#changes = changes;
    this.#added = added;
  }

  /** The kernels that were launched, in the order in which they were compiled. */
  get kernels(): readonly LaunchedKernel[] {
    return [...this.#launched.values()].filter(({ blockThreads }) => blockThreads > 0);
  }

  /** A backend that runs the changed kernels. */
  backend(given: Backend): Backend {
    return defineBackend<Backend>({
      ...given,
      open: async (request) => this.#world(await given.open(request), given),
    });
  }

  #world(world: BackendWorld, { capabilities }: Backend): BackendWorld {
    const [compile, launch, register] = [
      world.compile.bind(world),
      world.launch.bind(world),
      world.registerWindow.bind(world),
    ];
    const windows: WindowHandle[] = [];
    let rewriting: Promise<Executable> | undefined;
    let ready: Executable | undefined;
    const around = (config: LaunchConfig, args: readonly KernelArg[]): void => {
      for (const arg of args) {
        if (ready === undefined || arg.kind !== 'window' || !this.#isRewritten(windows.indexOf(arg.window))) continue;
        this.added++;
        const words = { kind: 'scalar', value: Math.floor(arg.window.bytes / 4) } as const;
        launch(ready, { stream: config.stream, grid: ONE, block: SMALL, label: REWRITING }, [arg, words]);
      }
    };
    return Object.assign(world, {
      compile: async (...[module, options]: Parameters<BackendWorld['compile']>) => {
        const added = this.#added.reads === true ? readingKernel() : rewritingKernel();
        rewriting ??= compile(validated(added, capabilities));
        ready = await rewriting;
        const executable = await compile(this.#kernel(module), options);
        this.#launched.set(executable, { module, windows: new Set(), blockThreads: 0, ctas: 0, isProgrammatic: false });
        return executable;
      },
      launch: (...[executable, config, args]: Parameters<BackendWorld['launch']>) => {
        const known = this.#launched.get(executable);
        if (known !== undefined) {
          known.blockThreads = Math.max(known.blockThreads, sizeOf(config.block));
          known.ctas = Math.max(known.ctas, sizeOf(config.grid));
          known.isProgrammatic ||= config.attributes?.programmaticStreamSerialization === true;
          for (const arg of args) if (arg.kind === 'window') known.windows.add(windows.indexOf(arg.window));
        }
        around(config, args);
        launch(executable, config, args);
        if (this.#added.twice === true) {
          this.added++;
          launch(executable, config, args);
        }
        around(config, args);
      },
      registerWindow: async (...given: Parameters<BackendWorld['registerWindow']>) => {
        const registered = await register(...given);
        windows.push(registered);
        this.windows = Math.max(this.windows, windows.length);
        return registered;
      },
    });
  }

  #isRewritten(window: number): boolean {
    const { rewritten } = this.#added;
    return rewritten === 'all' || rewritten === window;
  }

  #kernel(module: ValidatedModule): ValidatedModule {
    const known = this.#changed.get(module);
    if (known !== undefined) return known;
    const changed = this.#changes.reduce<Module>((current, { place, to }) => {
      if (place.kernel !== module.name) return current;
      if (to === 'probed') return probeSites(current, (site) => isOf(module, place, site));
      return changeSites(current, (site) => isOf(module, place, site), to).module;
    }, module);
    const result = changed === module ? undefined : validate(changed, module.capabilities);
    if (result?.ok === false) this.invalid ??= result.diagnostics[0]?.message;
    const valid = result?.ok === true ? result.module : module;
    this.#changed.set(module, valid);
    return valid;
  }
}

function sizeOf({ x, y, z }: Dim3): number {
  return x * y * z;
}

function validated(module: Module, capabilities: Backend['capabilities']): ValidatedModule {
  const result = validate(module, capabilities);
  if (result.ok) return result.module;
  throw new TypeError(`the kernel ${module.name} is not valid: ${result.diagnostics[0]?.message ?? ''}`);
}
