import './nvrtc.test.ts';
