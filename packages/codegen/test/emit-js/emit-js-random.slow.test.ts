import './emit-js-random.test.ts';
