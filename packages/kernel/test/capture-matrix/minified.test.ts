import { normalise, printModule } from '@nccl-ts/ir';
import { bool, kernel, ptr, u32 } from '@nccl-ts/kernel';
import { describe, expect, inject, it } from 'vitest';

/** The normal form of a kernel with this body. */
function normal(body: string): string {
  // oxlint-disable-next-line no-implied-eval, typescript/no-implied-eval -- texts as minifiers write them
  const make = new Function(
    `return ({ threadIdx, u32, f32, i32, any }, { p, q, n, on }) => { ${body} }`,
  ) as () => () => void;
  const made = kernel({ name: 'minified', params: { p: ptr(u32), q: ptr(u32), n: u32, on: bool } }, make());
  return printModule(normalise(made.compile()));
}

describe('a minified body compiles to the same kernel', () => {
  it.each(
    (
      [
        ['truth values', 'q[0] = on === true ? 1 : 2;', 'q[0]=on===!0?1:2'],
        ['a number from a condition', 'q[0] = on ? 1 : 0;', 'q[0]=+on'],
        ['a float from a condition', 'q[0] = u32(f32(n) + (on ? 1 : 0));', 'q[0]=u32(f32(n)+ +on)'],
        ['a negative number from a condition', 'q[0] = i32(n) < 5 ? -1 : 0;', 'q[0]=-(i32(n)<5)'],
        ['a product with a condition', 'q[0] = n + (n > 3 ? 4 : 0);', 'q[0]=n+4*(3<n)'],
        ['a product with two negations', 'const b = any(on); q[0] = n + (b ? 2 : 0);', 'let b=any(on);q[0]=n+2*!!b'],
        ['a truth value and another', 'let x = on; x = x && n > 3; q[0] = x ? 1 : 2;', 'let x=on;x&&=n>3,q[0]=x?1:2'],
        ['a truth value or another', 'let x = on; x = x || n > 3; q[0] = x ? 1 : 2;', 'let x=on;x||=n>3,q[0]=x?1:2'],
        [
          'a truth value and what memory holds',
          'let x = on; x = x && p[0] > 3; x = x || p[1] > 3; q[0] = +x;',
          'let x=on;x&&=p[0]>3,x||=p[1]>3,q[0]=+x',
        ],
        ['a truth value and a number', 'let x = on; x = x && n; q[0] = +x;', 'let x=on;x&&=n,q[0]=+x'],
        [
          'truth values in a loop',
          'let x = true; for (let i = u32(0); i < n; i++) x = x && p[i] > 0; q[0] = +x;',
          'let x=!0;for(let i=u32(0);i<n;i++)x&&=p[i]>0;q[0]=+!!x',
        ],
        ['a branch that assigns what it tests', 'let x = n; if (x) x = p[0]; q[0] = x;', 'let x=n;x&&=p[0],q[0]=x'],
        ['a branch that assigns what is zero', 'let x = n; if (!x) x = p[0]; q[0] = x;', 'let x=n;x||=p[0],q[0]=x'],
        ['a branch that stores where it tests', 'if (q[0]) q[0] = n; if (!q[n]) q[n] = p[0];', 'q[0]&&=n,q[n]||=p[0]'],
        [
          'a branch with effects that assigns what it tests',
          'let x = on; if (x) { q[1] = 2; x = p[0] > 3; } q[0] = +x;',
          'let x=on;x&&=(q[1]=2,p[0]>3),q[0]=+x',
        ],
        [
          'a variable that is declared behind the return',
          'const f = (x) => { let o = x + 1; return p[o] + o; }; q[0] = f(n); q[1] = n;',
          'let f=x=>{return o=x+1,p[o]+o;var o};q[0]=f(n),r=n,q[1]=r;var r',
        ],
        ['a power of two', 'q[0] = 1048576; q[1] = u32(4294967296n >> 3n);', 'q[0]=2**20,q[1]=u32(2n**32n>>3n)'],
        [
          'a branch on undefined',
          'const f = (x) => x === undefined ? 3 : x; q[0] = f(n); q[1] = f();',
          'let f=x=>x??3;q[0]=f(n),q[1]=f()',
        ],
        [
          'loose comparisons with undefined',
          'const f = (x, y) => { if (x !== undefined) q[0] = x; return y === undefined ? 3 : 4; }; q[1] = f(n); q[2] = f(undefined, 1);',
          'let f=(x,y)=>(x!=null&&(q[0]=x),y==null?3:4);q[1]=f(n),q[2]=f(void 0,1)',
        ],
        [
          'members of what may be left out',
          'const f = (o) => { const r = o === undefined ? 7 : o.each === undefined ? 8 : o.each(1); if (o !== undefined) q[0] = o.n; return r; }; q[1] = f({ n, each: (i) => i + n }); q[2] = f({ n, each: undefined }); q[3] = f();',
          'let f=o=>{let r=o==null?7:o.each?.(1)??8;return o!=null&&(q[0]=o?.n),r};q[1]=f({n,each:i=>i+n}),q[2]=f({n,each:void 0}),q[3]=f()',
        ],
        [
          'a function that is called where there is one',
          'const f = (g) => { if (g !== undefined) g(1); }; f((i) => { q[i] = n; }); f();',
          'let f=g=>{g?.(1)};f(i=>{q[i]=n}),f()',
        ],
        [
          'what is tested and dropped',
          'const f = (o) => { q[0] = 1; }; f({ n });',
          'let f=o=>{o.n==null||o.n,o?.n,q[0]=1};f({n})',
        ],
        [
          'functions whose names are kept by a renamed helper',
          'const f = (i) => i + n; function g(i) { return i * 2; } q[0] = f(g(3)); const o = { each: (i) => i + 1 }; q[1] = o.each(1);',
          'let f=$1((i)=>i+n,"first");function g(i){return i*2}$1(g,`second`);q[0]=f(g(3));let o={each:$1(i=>i+1,"each")};q[1]=o.each(1)',
        ],
        ['a branch as a statement', 'if (on) q[0] = 1;', 'on&&(q[0]=1)'],
        ['a negated branch as a statement', 'if (!on) q[0] = 1;', 'on||(q[0]=1)'],
        ['branches as an expression', 'if (on) q[0] = 1; else q[1] = 2;', 'on?q[0]=1:q[1]=2'],
        ['branches that store to one place', 'if (on) { q[0] = 1; } else { q[0] = n; }', 'q[0]=on?1:n'],
        ['a chain of branches', 'if (n < 1) q[0] = 1; else if (n < 2) q[0] = 2; else q[0] = 3;', 'q[0]=n<1?1:n<2?2:3'],
        ['a return in front', 'if (on) return; q[0] = 1; q[1] = 2;', 'on||(q[0]=1,q[1]=2)'],
        ['statements in a sequence', 'let x = n; x += 1; x *= 3; q[0] = x;', 'let x=n;x+=1,x*=3,q[0]=x'],
        [
          'assignments in one',
          'let x = n; x = x + 1; x = x * 3; q[0] = x; x = q[1]; q[2] = x;',
          'let x=3*(n+1);q[0]=x,q[2]=x=q[1]',
        ],
        [
          'a sequence in a condition',
          'const x = p[0]; q[0] = x; if (x > 3) return; q[1] = x;',
          'let x=p[0];if(q[0]=x,x>3)return;q[1]=x',
        ],
        [
          'a loop without a condition',
          'while (true) { if (p[0] > n) break; q[0] = q[0] + 1; }',
          'for(;!(p[0]>n);)q[0]=q[0]+1',
        ],
        [
          'a loop whose condition has effects',
          'let x = n; let k = u32(0); while (x !== 1) { x = x / 2; k++; if (k > 9) break; } q[0] = k;',
          'let x=n,k=u32(0);for(;x!==1&&(x/=2,k++,!(k>9)););q[0]=k',
        ],
        [
          'a loop whose condition has effects, turned round',
          'let x = n; let k = u32(0); while (x !== 1) { x = x / 2; k++; if (k > 9) break; } q[0] = k;',
          'let x=n,k=u32(0);for(;!(1===x||(x/=2,k++,9<k)););q[0]=k',
        ],
        [
          'a branch whose condition has effects',
          'if (on) { const x = p[0]; q[0] = x; if (x > 2) q[1] = 5; }',
          'let x;on&&(x=p[0],q[0]=x,x>2)&&(q[1]=5)',
        ],
        ['a spin loop', "while (p.load(0, 'acquire') !== 1);", "for(;1!==p.load(0,'acquire'););"],
        [
          'a spin loop with a body',
          "for (;;) { const x = p.load(0, 'acquire'); if (x === 1) break; }",
          "for(;1!==p.load(0,'acquire'););",
        ],
        [
          'a spin loop with two exits',
          "while (true) { if (p.load(0, 'acquire') === 1) break; if (p.load(1, 'acquire') === 2) break; }",
          "for(;1!==p.load(0,'acquire')&&2!==p.load(1,'acquire'););",
        ],
        [
          'a spin loop that starts anew',
          "while (true) { if (p.load(0, 'acquire') !== 1) continue; if (p.load(1, 'acquire') === 2) break; }",
          "for(;1!==p.load(0,'acquire')||2!==p.load(1,'acquire'););",
        ],
        [
          'a spin loop that starts anew, turned round',
          "while (true) { if (p.load(0, 'acquire') !== 1) continue; if (p.load(1, 'acquire') === 2) break; }",
          "for(;!(1===p.load(0,'acquire')&&2===p.load(1,'acquire')););",
        ],
        [
          'a spin loop at three places',
          "while (true) { if (p.load(0, 'acquire') !== 1) continue; if (p.load(1, 'acquire') !== 2) continue; if (p.load(2, 'acquire') === 3) break; }",
          "for(;1!==p.load(0,'acquire')||2!==p.load(1,'acquire')||3!==p.load(2,'acquire'););",
        ],
      ] as const
    ).filter((_, i) => (i % 4 === 0) !== inject('slow')),
  )('a minified body compiles to the same kernel: %s', (_, authors, minified) =>
    expect(normal(minified)).toBe(normal(authors)),
  );
});

describe('a spin loop becomes a wait', () => {
  it.each(
    (
      [
        ['with several exits', 'while (true) { if (p.load(0) === 1) break; const x = p.load(1); if (x > 2) break; }'],
        ['with a condition in front', 'while (on) { if (p.load(0) === 1) continue; if (p.load(1) === 2) break; }'],
        ['in a do loop', 'let x; do { x = p.load(0); if (x === 7) break; } while (x < 5); q[0] = x;'],
      ] as const
    ).filter((_, i) => (i % 2 === 0) !== inject('slow')),
  )('a spin loop becomes a wait: %s', (_, body) => expect(normal(body)).toMatch(/wait \{[^]*\} until /));

  it.each(
    (
      [
        ['counts', 'let i = u32(0); while (true) { i++; if (p.load(0) === 1) break; if (p.load(1) === i) break; }'],
        ['stores', 'while (true) { if (p.load(0) === 1) break; q[0] = 1; if (p.load(1) === 2) break; }'],
        ['reads nothing', 'let x = n; while (true) { if (on) break; x = n; if (x === 2) break; }'],
        ['returns', 'while (true) { if (p.load(0) === 1) break; if (p.load(1) === 2) return; } q[0] = 1;'],
      ] as const
    ).filter((_, i) => (i % 2 === 0) !== inject('slow')),
  )('a spin loop does not become a wait if it %s', (_, body) => {
    expect(normal(body)).toContain('loop');
    expect(normal(body)).not.toContain('wait');
  });
});
