import './known-faults.test.ts';
