import './emit-vector-access.test.ts';
