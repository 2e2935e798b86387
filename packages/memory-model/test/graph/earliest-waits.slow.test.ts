import './earliest-waits.test.ts';
