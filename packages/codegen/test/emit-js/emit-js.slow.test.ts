import './emit-js.test.ts';
