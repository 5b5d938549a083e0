// one weaken
