import tensorflow as tf

for step in range(3):
    print "step", step
