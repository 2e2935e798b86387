import './volatile-barrier.test.ts';
