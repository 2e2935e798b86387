import './gin-litmus.test.ts';
