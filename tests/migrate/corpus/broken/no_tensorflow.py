print "nothing to do with it"
