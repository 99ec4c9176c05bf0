mod plan_probe;
