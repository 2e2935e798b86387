import './emit-cuda.test.ts';
