import './hybrid-barrier.test.ts';
