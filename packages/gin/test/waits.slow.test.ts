import './waits.test.ts';
