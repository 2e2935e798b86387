import './emit-wgsl.test.ts';
