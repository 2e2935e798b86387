import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { lineAt, printModule } from '@nccl-ts/ir';
import { analyseKernel, kernel, u32 } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';

const definition = { use: { gin, teamWorld }, params: { comm: devComm, win: window, n: u32 } } as const;

/** The printed module without its locals, whose numbers differ. */
function printed(of: Parameters<typeof analyseKernel>[0]): string {
  const result = analyseKernel(of);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  const text = printModule(result.module);
  return text.slice(text.indexOf('  call gin.put'));
}

/** The messages, each with the text that it is about. */
function problems(of: Parameters<typeof analyseKernel>[0]): readonly string[] {
  const result = analyseKernel(of);
  if (result.ok) return [];
  return result.diagnostics.map(({ code, message, labels: [primary] }) => {
    const { source = 0, start = 0, end = 0 } = primary?.span ?? {};
    const text = result.sources[source]?.text ?? '';
    return `${code} ${message}: ${lineAt(text, start)
      .text.slice(lineAt(text, start).column - 1)
      .slice(0, end - start)}`;
  });
}

describe('a put as an object', () => {
  it('is the put by position', () => {
    const named = kernel({ name: 'k', ...definition }, ({ gin, teamWorld }, { comm, win }) => {
      const net = gin.context(comm, 0);
      const remote = gin.strongSignalInc(0);
      net.put({ team: teamWorld(comm), peer: 1, dst: win, dstOffset: 8, src: win, srcOffset: 16, bytes: 4, remote });
      net.put({ team: teamWorld(comm), peer: 1, dst: win, src: win, bytes: 64 });
    });
    const placed = kernel({ name: 'k', ...definition }, ({ gin, teamWorld }, { comm, win }) => {
      const net = gin.context(comm, 0);
      const remote = gin.strongSignalInc(0);
      net.put(teamWorld(comm), 1, win, 8, win, 16, 4, remote);
      net.put(teamWorld(comm), 1, win, 0, win, 0, 64);
    });
    expect(printed(named)).toBe(printed(placed));
  });

  it('reports mistakes at the members', () => {
    const wrong = kernel({ name: 'k', ...definition }, ({ gin, teamWorld }, { comm, win, n }) => {
      const net: { put(request: unknown): void } = gin.context(comm, 0);
      net.put({ team: teamWorld(comm), peer: 1, dst: win, dstOfset: 8, src: win, bytes: 4 });
      net.put({ peer: 1, dst: win, src: win, bytes: 4 });
      net.put({ team: teamWorld(comm), peer: 1, dst: comm, src: win, bytes: n });
    });
    expect(problems(wrong)).toEqual([
      "K1106 gin.put has no option 'dstOfset': dstOfset",
      "K1120 gin.put: 'team' is missing: {",
      "K1104 gin.put: 'dst' must be a Window: comm",
    ]);
  });
});
